import type { FACILITY_EVENTS, USER_EVENTS } from '../webhooks/event-names.ts'

type EventName = (typeof FACILITY_EVENTS)[number] | (typeof USER_EVENTS)[number]

const SHIFT = { shiftId: 'shift_test', startsAt: '2026-11-20T06:00:00Z', endsAt: '2026-11-20T14:00:00Z' }
const REQUEST = { shiftRequestId: 'request_test', shiftId: 'shift_test' }
const REPORT = { shiftReportId: 'report_test', shiftId: 'shift_test', workedMinutes: 480 }
const CONNECTION = { connectionRequestId: 'connection_test', facilityName: 'Test facility' }
const CREATION = { creationRequestId: 'creation_test', facilityName: 'Test facility' }

/** What a test event tells when nothing else is asked for (decision C11). The fields are examples; real ones are the marketplace's. */
const EXAMPLES: Record<EventName, object> = {
  'shift.created': SHIFT,
  'shift.cancelled': { ...SHIFT, reason: 'A test' },
  'shift.scheduled': { ...SHIFT, nurseName: 'Test Nurse' },
  'shift.scheduled.cancelled': { ...SHIFT, nurseName: 'Test Nurse', reason: 'A test' },
  'shift.request.created': REQUEST,
  'shift.request.cancelled': { ...REQUEST, reason: 'A test' },
  'shift.report.created': REPORT,
  'shift.report.accepted': REPORT,
  'shift.report.accepted-automatically': REPORT,
  'shift.report.rejected': { ...REPORT, reason: 'A test' },
  'facility.user-connection.accepted': CONNECTION,
  'facility.user-connection.rejected': { ...CONNECTION, reason: 'A test' },
  'facility.creation.accepted': CREATION,
  'facility.creation.rejected': { ...CREATION, reason: 'A test' },
}

export function exampleData(type: string): string {
  return JSON.stringify(new Map<string, object>(Object.entries(EXAMPLES)).get(type) ?? {})
}
