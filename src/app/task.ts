/** Something a worker does again and again; safe to repeat, and safe on any number of processes at once. */
export type Task = { what: string; everyMs: number; turn: () => Promise<unknown> }

export const SECOND = 1_000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE
