import type { FACILITY_EVENTS, USER_EVENTS } from './event-names.ts'

export type EventName = (typeof FACILITY_EVENTS)[number] | (typeof USER_EVENTS)[number]

/** What each event means, in the contract's words; one entry for every event that there is. */
export const EVENT_MEANINGS: Record<EventName, string> = {
  'shift.created': 'Shift created',
  'shift.cancelled': 'Shift cancelled',
  'shift.scheduled': 'Shift scheduled',
  'shift.scheduled.cancelled': 'Scheduled shift cancelled',
  'shift.request.created': 'Shift request created',
  'shift.request.cancelled': 'Shift request cancelled',
  'shift.report.created': 'Shift report created',
  'shift.report.accepted': 'Shift report accepted',
  'shift.report.accepted-automatically': 'Shift report accepted automatically',
  'shift.report.rejected': 'Shift report rejected',
  'facility.user-connection.accepted': 'A facility connection request was accepted',
  'facility.user-connection.rejected': 'A facility connection request was rejected',
  'facility.creation.accepted': 'A facility creation request was accepted',
  'facility.creation.rejected': 'A facility creation request was rejected',
}
