import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { ENVIRONMENTS, type Environment } from '../../src/domain/environment.ts'
import { upsertFacility } from '../../src/domain/facilities/facility-store.ts'
import { type Api, assertFaults, faultsIn, webhookIn } from '../harness/api-client.ts'
import { HOOK_URL, startApiScene } from '../harness/api-scene.ts'
import type { TestApplication } from '../harness/token-scene.ts'

const scene = await startApiScene()
after(scene.service.stop)
const { db } = scene

// Every facility is tried by everybody, which is more than the usual limit lets pass.
const application = await scene.integrator({ apiRatePerSecond: 10_000, apiRateBurst: 10_000 })
const [ann, bob] = [await scene.person(), await scene.person()]

/** Every way in which somebody can be tied to a facility. */
const placesIn = async (environment: Environment) => ({
  anns: await scene.facility(environment, ann),
  bobs: await scene.facility(environment, bob),
  connected: await scene.facility(environment, application),
  annsAndConnected: await scene.facility(environment, ann, application),
  otherApplications: await scene.facility(environment, await scene.integrator()),
  nobodys: await scene.facility(environment),
})
const places = { production: await placesIn('production'), sandbox: await placesIn('sandbox') }

const create = (api: Api, facilities: unknown) =>
  api.post('/webhooks/facility', { url: HOOK_URL, events: ['all'], facilities })

for (const environment of ENVIRONMENTS) {
  const here = places[environment]
  const there = places[environment === 'production' ? 'sandbox' : 'production']
  const callers: Array<[string, Api, string[]]> = [
    ['a person', await scene.personApi(application, ann, environment), [here.anns, here.annsAndConnected]],
    ['the application', await scene.appApi(application, environment), [here.connected, here.annsAndConnected]],
  ]
  for (const [who, api, visible] of callers) {
    test(`${who} in ${environment}: exactly their facilities are detected, on create and on update`, async () => {
      const { id, facilities } = webhookIn(await create(api, []), 201)
      assert.deepEqual(facilities?.toSorted(), visible.toSorted())
      await api.patch(`/webhooks/facility/${id}`, { facilities: visible.slice(0, 1) })
      const again = webhookIn(await api.patch(`/webhooks/facility/${id}`, { facilities: null }))
      assert.deepEqual(again.facilities?.toSorted(), visible.toSorted())
    })

    test(`${who} in ${environment}: 201 for each facility they may see`, async () => {
      for (const facility of visible)
        assert.deepEqual(webhookIn(await create(api, [facility]), 201).facilities, [facility])
    })

    test(`${who} in ${environment}: 422 with its place for every other; unknown and forbidden look alike`, async () => {
      const forbidden = [...Object.values(here), ...Object.values(there)].filter((id) => !visible.includes(id))
      const unknown = [
        'fac_nobody',
        ' ',
        '*',
        'null',
        ann,
        application.id,
        (visible[0] ?? '').toUpperCase(),
        `${visible[0]} `,
      ]
      const { id } = webhookIn(await create(api, visible), 201)
      const messages = new Set<string>()
      for (const wrong of [...forbidden, ...unknown]) {
        for (const answer of [
          await create(api, [...visible, wrong]),
          await api.patch(`/webhooks/facility/${id}`, { facilities: [...visible, wrong] }),
        ]) {
          assertFaults(answer, `/facilities/${visible.length} unknown_facility`)
          for (const { message } of faultsIn(answer)) messages.add(message)
        }
      }
      assert.equal(messages.size, 1, 'one message for all of them')
      assert.deepEqual(webhookIn(await api.get(`/webhooks/facility/${id}`)).facilities, visible)
    })
  }

  test(`422 in ${environment} when there is nothing to detect, for a person and for an application`, async () => {
    const lonely = await scene.integrator()
    for (const api of [
      await scene.personApi(lonely, await scene.person(), environment),
      await scene.appApi(lonely, environment),
    ])
      for (const facilities of [undefined, null, []]) {
        const [fault] = assertFaults(await create(api, facilities), '/facilities no_facilities')
        assert.match(fault?.message ?? '', new RegExp(environment))
      }
  })
}

test('a facility of the same id in the other environment is another facility', async () => {
  const id = 'fac_same'
  for (const environment of ENVIRONMENTS)
    await upsertFacility(db, { environment, id, name: id, city: null, state: null })
  const person = await scene.person()
  await db`insert into facility_access (environment, facility_id, user_id) values ('sandbox', ${id}, ${person})`
  assertFaults(await create(await scene.personApi(application, person), [id]), '/facilities/0 unknown_facility')
  assert.deepEqual(
    webhookIn(await create(await scene.personApi(application, person, 'sandbox'), [id]), 201).facilities,
    [id],
  )
})

test('who lost access cannot name the facility again, and it is not detected; what was registered stays listed', async () => {
  const person = await scene.person()
  const [kept, lost] = [await scene.facility('production', person), await scene.facility('production', person)]
  const api = await scene.personApi(application, person)
  const { id } = webhookIn(await create(api, [kept, lost]), 201)
  await db`delete from facility_access where facility_id = ${lost}`
  assert.deepEqual(webhookIn(await api.get(`/webhooks/facility/${id}`)).facilities, [kept, lost])
  assertFaults(
    await api.patch(`/webhooks/facility/${id}`, { facilities: [kept, lost] }),
    '/facilities/1 unknown_facility',
  )
  assert.deepEqual(webhookIn(await api.patch(`/webhooks/facility/${id}`, { url: `${HOOK_URL}/2` })).facilities, [
    kept,
    lost,
  ])
  assert.deepEqual(webhookIn(await api.patch(`/webhooks/facility/${id}`, { facilities: [] })).facilities, [kept])
})

test('1,000 facilities can be named, 1,001 cannot; more are detected', async () => {
  const large = await scene.integrator()
  const ids = await connectMany(large, 1_001)
  const api = await scene.appApi(large)
  const { id, facilities } = webhookIn(await create(api, ids.slice(0, 1_000)), 201)
  assert.deepEqual(facilities, ids.slice(0, 1_000))
  assertFaults(await create(api, ids), '/facilities too_many')
  assertFaults(await api.patch(`/webhooks/facility/${id}`, { facilities: ids }), '/facilities too_many')
  assert.equal(webhookIn(await create(api, []), 201).facilities?.length, 1_001)
  assert.equal(webhookIn(await api.patch(`/webhooks/facility/${id}`, { facilities: [] })).facilities?.length, 1_001)
})

test('422 for the same facility twice, an empty id, one of 65 characters, and what is no text', async () => {
  const api = await scene.personApi(application, ann)
  const { anns } = places.production
  assertFaults(await create(api, [anns, anns]), '/facilities/1 duplicate')
  assertFaults(await create(api, ['']), '/facilities/0 too_short')
  assertFaults(await create(api, ['x'.repeat(65)]), '/facilities/0 too_long')
  assertFaults(await create(api, [anns, 7, null, {}]), ...[1, 2, 3].map((at) => `/facilities/${at} wrong_type`))
})

test('500 facilities that are not theirs: every one is named, up to 100, by one statement', async () => {
  const answer = await create(
    await scene.personApi(application, ann),
    Array.from({ length: 500 }, (_, n) => `fac_${n}`),
  )
  assert.equal(answer.status, 422)
  assert.equal(faultsIn(answer).length, 100)
  assert.match(String(answer.body['detail']), /And 499 more/)
})

/** Ids of 36 characters: a thousand of them fit into a body. */
async function connectMany({ id }: TestApplication, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, (_, n) => `fac_${String(n).padStart(32, '0')}`)
  await db`
    insert into facilities (environment, id, name) select 'production', id, id from unnest(${ids}::text[]) as id`
  await db`
    insert into facility_connections (environment, facility_id, application_id)
    select 'production', facility_id, ${id} from unnest(${ids}::text[]) as facility_id`
  return ids
}
