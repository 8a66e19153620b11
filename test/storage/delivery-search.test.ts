import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { DeliverySearch, SearchedPlace } from '../../src/domain/deliveries/delivery-search.ts'
import { deliveriesOfEvent, searchDeliveries } from '../../src/domain/deliveries/delivery-search-store.ts'
import { startApiScene } from '../harness/api-scene.ts'
import { finishedRows } from '../harness/finished-rows.ts'

const scene = await startApiScene()
after(scene.service.stop)
const { db } = scene

const ANYTHING: DeliverySearch = { environment: null, state: null, from: null, to: null }
const application = await scene.integrator()
const webhooks = await scene.webhooks({ application, environment: 'sandbox' }, 'facility', 3)
const failed: string[] = []
const delivered: string[] = []
for (const [turn, hoursAgo] of [0, 1, 20, 24, 26, 47, 50].entries()) {
  const webhookId = webhooks[turn % 2] ?? ''
  delivered.push(...(await finishedRows(db, 9, { webhookId, hoursAgo })))
  failed.push(...(await finishedRows(db, 3, { webhookId, hoursAgo, state: 'failed' })))
}

/** Page after page to the end, looking at few rows for each. */
async function everyPage(place: SearchedPlace, search: DeliverySearch, limit: number, lookedAt: number) {
  const seen: string[] = []
  let before: string | null = null
  for (let pages = 0; ; pages += 1) {
    assert.ok(pages < 200)
    const page = await searchDeliveries(db, place, search, { before, limit, lookedAt })
    seen.push(...page.found.map(({ id }) => id))
    if (page.older === null) return seen
    before = page.older
  }
}

const places: Array<[string, SearchedPlace]> = [
  ['everywhere', 'everywhere'],
  ['among webhooks', webhooks],
]
for (const [where, place] of places) {
  for (const limit of [1, 4, 9, 100]) {
    for (const lookedAt of [1, 5, 12, 1_000]) {
      test(`every one once, newest first: ${where}, ${limit} on a page, ${lookedAt} looked at`, async () => {
        const newestFirst = (ids: readonly string[]) => ids.toSorted().toReversed()
        assert.deepEqual(await everyPage(place, ANYTHING, limit, lookedAt), newestFirst([...failed, ...delivered]))
        assert.deepEqual(await everyPage(place, { ...ANYTHING, state: 'failed' }, limit, lookedAt), newestFirst(failed))
        assert.deepEqual(await everyPage(place, { ...ANYTHING, environment: 'production' }, limit, lookedAt), [])
      })
    }
  }
}

test('an event of which nobody knows is found nowhere, and nothing among no webhooks', async () => {
  assert.deepEqual(await deliveriesOfEvent(db, 'evt_none'), [])
  assert.deepEqual(await searchDeliveries(db, [], ANYTHING, { before: null, limit: 5 }), { found: [], older: null })
})
