import type { User } from '../users/user.ts'

/** A browser in which a person is signed in. `sid` is its public id, never the cookie's value (decision B19). */
export type Session = { sid: string; user: User; authTime: Date }

export const IDLE_SECONDS = 3 * 24 * 3_600
export const ABSOLUTE_SECONDS = 30 * 24 * 3_600
