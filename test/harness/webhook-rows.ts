import { finishedRows } from './finished-rows.ts'
import { queueRows } from './queue-rows.ts'
import type { WebhookScene } from './webhook-scene.ts'

const BODY = JSON.stringify({
  id: 'evt_0198a6c2d1f07c3e9a41b7d2e5f60720',
  type: 'shift.created',
  timestamp: '2026-11-15T08:00:00.000Z',
  environment: 'sandbox',
  apiVersion: 'v2',
  facilityId: 'fac_riverside',
  test: true,
  data: { shiftId: 'shift_4711', startsAt: '2026-11-20T06:00:00Z', endsAt: '2026-11-20T14:00:00Z' },
})

/** A webhook that had a busy day: most of it well, a bad hour, something that waits, replays. */
export async function fillWebhook(scene: WebhookScene): Promise<{ id: string; failed: string; pending: string }> {
  const { db, facilities } = scene
  const id = await scene.webhook({ url: 'https://partner.example/hooks/handover' })
  const row = { webhookId: id, facilityId: facilities[0], body: BODY }
  for (let hour = 0; hour < 24; hour += 1)
    await finishedRows(db, 3 + ((hour * 7) % 11), { ...row, hoursAgo: hour, durationMs: 60 + hour * 9 })
  const [failed = ''] = await finishedRows(db, 4, {
    ...row,
    state: 'failed',
    because: 'attempts_used_up',
    hoursAgo: 3,
    attempts: 10,
    message: 'The receiver did not answer within 15 seconds.',
    responseHead: 'content-type: text/html; charset=utf-8\nserver: nginx\nretry-after: 120',
    responseBody: '<html><head><title>503 Service Temporarily Unavailable</title></head></html>',
  })
  const [pending = ''] = await queueRows(db, 2, { webhookId: id, dueInSeconds: 86_000, attempts: 2 })
  await db`
    insert into replays (id, webhook_id, created_from, created_until, states, total, queued, finished_at, cancelled_at)
    values ('rpl_' || repeat('1', 32), ${id}, now() - interval '1 day', now(), '{failed,held}', 412, 412, now(), null),
           ('rpl_' || repeat('2', 32), ${id}, now() - interval '1 day', now(), '{failed}', 99, 50, now(), now())`
  return { id, failed, pending }
}
