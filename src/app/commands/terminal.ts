import type { Env } from '../variables.ts'

/** Standard output is for what a person asked to see; in demo mode the log goes to standard error, beside it. */
export type Terminal = { env: Env; print: (text: string) => void; warn: (text: string) => void }
