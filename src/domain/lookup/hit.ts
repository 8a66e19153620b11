import type { Environment } from '../environment.ts'

export const HIT_KINDS = [
  'application',
  'team',
  'integrator',
  'person',
  'facility',
  'webhook',
  'event',
  'delivery',
  'request',
] as const

/** `request` is one that an integrator made to support; those of programs are in the request log. */
export type HitKind = (typeof HIT_KINDS)[number]

export type Hit = {
  kind: HitKind
  id: string
  name: string
  /** By its whole id or address, not by the beginning of its name. */
  exact: boolean
  environment: Environment | null
  /** What it belongs to. */
  applicationId: string | null
  teamId: string | null
  /** What else tells it apart: a role, a state, a type. */
  notes: string[]
}
