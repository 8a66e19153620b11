import type { Environment } from '../environment.ts'
import { FACILITY_EVENTS, USER_EVENTS } from '../webhooks/event-names.ts'
import type { WebhookKind } from '../webhooks/webhook.ts'

/** Something that happened at a facility or to a person's requests. `data` is JSON text and is passed on as it came. */
export type NewEvent = {
  environment: Environment
  /** Good once for as long as the event is kept. */
  id: string
  type: string
  subject: { facilityId: string } | { userId: string }
  /** Null for now. */
  occurredAt: Date | null
  data: string
  /** Made by an integrator to try things out (decision C11). */
  test: boolean
}

export function kindOf(type: string): WebhookKind | null {
  if (FACILITY_EVENTS.some((name) => name === type)) return 'facility'
  return USER_EVENTS.some((name) => name === type) ? 'user' : null
}

/** The bytes that are sent (decision D3), made once: attempts, resends and replays all send these. */
export function eventBody(event: NewEvent, now: Date): string {
  const { id, type, occurredAt, environment, subject, test, data } = event
  const head = JSON.stringify({
    id,
    type,
    timestamp: (occurredAt ?? now).toISOString(),
    environment,
    apiVersion: 'v2',
    ...subject,
    ...(test && { test: true }),
  })
  return `${head.slice(0, -1)},"data":${data}}`
}
