/** Somebody who integrates: an account of its own kind, apart from nurse and facility users (decision E1). */
export type Integrator = { id: string; email: string; name: string }

/** `sid` is public; `teamId` is the team that was opened last. */
export type IntegratorSession = { sid: string; integrator: Integrator; authTime: Date; teamId: string | null }

export const LONGEST_NAME = 100
