import type { WebhookKind } from './webhook.ts'

/** The contract's events, by the kind of webhook that gets them. Names match exactly, never by prefix (decision C8). */
export const FACILITY_EVENTS = [
  'shift.created',
  'shift.cancelled',
  'shift.scheduled',
  'shift.scheduled.cancelled',
  'shift.request.created',
  'shift.request.cancelled',
  'shift.report.created',
  'shift.report.accepted',
  'shift.report.accepted-automatically',
  'shift.report.rejected',
] as const

export const USER_EVENTS = [
  'facility.user-connection.accepted',
  'facility.user-connection.rejected',
  'facility.creation.accepted',
  'facility.creation.rejected',
] as const

/** Every event of the kind, those to come included. */
export const ALL_EVENTS = 'all'

export function eventsOf(kind: WebhookKind): readonly string[] {
  return kind === 'facility' ? FACILITY_EVENTS : USER_EVENTS
}
