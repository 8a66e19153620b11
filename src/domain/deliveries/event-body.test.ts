import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Value } from 'typebox/value'
import { FACILITY_EVENTS, USER_EVENTS } from '../webhooks/event-names.ts'
import { FacilityEvent, UserEvent } from '../webhooks/event-schemas.ts'
import { eventBody, type NewEvent } from './event.ts'

const now = new Date('2026-11-15T08:00:05.000Z')
const event: NewEvent = {
  environment: 'production',
  id: 'evt_1',
  type: 'shift.created',
  subject: { facilityId: 'fac_riverside' },
  occurredAt: new Date('2026-11-15T08:00:00.000Z'),
  data: '{"shift":{"id":1.0}}',
  test: false,
}

describe('what is sent is what is documented', () => {
  for (const type of FACILITY_EVENTS)
    test(type, () => assert.ok(Value.Check(FacilityEvent, JSON.parse(eventBody({ ...event, type }, now)))))

  for (const type of USER_EVENTS) {
    const subject = { userId: 'usr_1' }
    test(type, () => assert.ok(Value.Check(UserEvent, JSON.parse(eventBody({ ...event, type, subject }, now)))))
  }

  test('an event that was made to try things out', () => {
    const body: unknown = JSON.parse(eventBody({ ...event, environment: 'sandbox', test: true }, now))
    assert.ok(Value.Check(FacilityEvent, body))
    assert.deepEqual(body, {
      id: 'evt_1',
      type: 'shift.created',
      timestamp: '2026-11-15T08:00:00.000Z',
      environment: 'sandbox',
      apiVersion: 'v2',
      facilityId: 'fac_riverside',
      test: true,
      data: { shift: { id: 1 } },
    })
  })
})

describe('what is not documented does not pass', () => {
  const body: Record<string, unknown> = JSON.parse(eventBody(event, now))
  const { facilityId: _, ...nowhere } = body
  const cases: Record<string, unknown> = {
    'an event of the other kind': { ...body, type: 'facility.creation.accepted' },
    'an event of nobody': nowhere,
    'another version': { ...body, apiVersion: 'v1' },
    'a test that is not one': { ...body, test: false },
    'a time that is none': { ...body, timestamp: 'today' },
  }
  for (const [title, wrong] of Object.entries(cases)) test(title, () => assert.ok(!Value.Check(FacilityEvent, wrong)))
})
