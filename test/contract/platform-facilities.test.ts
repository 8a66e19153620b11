import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertFaults, assertProblem } from '../harness/api-client.ts'
import { assertNothing, dataOf, listOf, startPlatformScene } from '../harness/platform-scene.ts'

const scene = await startPlatformScene()
after(scene.service.stop)
const { db, production, sandbox } = scene

const facilitiesOf = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, number) => ({
    id: `${prefix}-${number}`,
    name: `Facility ${number}`,
    city: 'Portland',
  }))

async function rowsLike(prefix: string): Promise<string[]> {
  const rows = await db<Array<{ row: string }>>`
    select environment || ' ' || id || ' ' || name || ' ' || coalesce(city, '-') as row from facilities
    where id like ${`${prefix}%`} order by environment, id`
  return rows.map(({ row }) => row)
}

test('201 PUT /facilities/:facilityId, 200 when it is there: what is left out stays, null empties', async () => {
  const made = dataOf(
    await production.put('/facilities/hill', { name: ' Hill  House ', city: 'Salem', state: 'OR' }),
    201,
  )
  const { createdAt, ...fields } = made
  assert.match(String(createdAt), /^20\d\d-.*Z$/)
  assert.deepEqual(fields, { environment: 'production', id: 'hill', name: 'Hill House', city: 'Salem', state: 'OR' })
  const renamed = dataOf(await production.put('/facilities/hill', { name: 'Hill', state: null }))
  assert.deepEqual(renamed, { ...made, name: 'Hill', state: null })
  assert.deepEqual(dataOf(await production.get('/facilities/hill')), renamed)
})

test('404: a facility of one environment is not there for the other’s key, which may have its own with the same id', async () => {
  await production.put('/facilities/apart', { name: 'Production' })
  assertProblem(await sandbox.get('/facilities/apart'), 404, 'not_found')
  assertNothing(await sandbox.delete('/facilities/apart'))
  assertNothing(await sandbox.post('/facilities/batch-delete', ['apart']))
  assert.equal((await sandbox.put('/facilities/apart', { name: 'Sandbox' })).status, 201)
  assert.deepEqual(await rowsLike('apart'), ['production apart Production -', 'sandbox apart Sandbox -'])
  assertNothing(await sandbox.delete('/facilities/apart'))
  assertNothing(await sandbox.delete('/facilities/apart'))
  assert.equal((await production.get('/facilities/apart')).status, 200)
})

test('422 with every wrong field at once', async () => {
  assertFaults(
    await production.put('/facilities/wrong', {
      name: 'x'.repeat(101),
      city: '\u202e',
      state: 1,
      environment: 'sandbox',
    }),
    '/name malformed',
    '/city malformed',
    '/state wrong_type',
    '/environment unknown_field',
  )
  assertFaults(await production.put('/facilities/wrong', { name: '  ' }), '/name too_short')
  assertFaults(await production.put('/facilities/a%20b', { name: 'A' }), '/path/facilityId malformed')
  assert.deepEqual(await rowsLike('wrong'), [])
})

test('200 POST /facilities/batch: 500 at once, all or none, and 501 are too many', async () => {
  const facilities = facilitiesOf('many', 500)
  const made = listOf(await sandbox.post('/facilities/batch', facilities))
  assert.deepEqual(
    made.map(({ id, name, city, environment }) => ({ id, name, city, environment })),
    facilities.map((facility) => ({ ...facility, environment: 'sandbox' })),
  )
  const before = await rowsLike('many')
  assertFaults(await sandbox.post('/facilities/batch', facilitiesOf('many', 501)), ' too_many')
  const wrong = facilities.map((facility, position) => ({ ...facility, name: position === 499 ? '' : 'New' }))
  assertFaults(await sandbox.post('/facilities/batch', wrong), '/499/name too_short')
  assertFaults(
    await sandbox.post('/facilities/batch', [
      { id: 'x', name: 'X' },
      { id: '', name: 'Y' },
      { id: 'x', name: 'Z' },
      { id: 'batch', name: 'B' },
    ]),
    '/1/id malformed',
    '/2/id duplicate',
    '/3/id malformed',
  )
  assert.deepEqual(await rowsLike('many'), before)
  const kept = listOf(
    await sandbox.post(
      '/facilities/batch',
      facilities.map(({ id }) => ({ id, name: 'New' })),
    ),
  )
  assert.ok(kept.every(({ name, city }) => name === 'New' && city === 'Portland'))
  assertNothing(
    await sandbox.post(
      '/facilities/batch-delete',
      facilities.map(({ id }) => id),
    ),
  )
  assert.deepEqual(await rowsLike('many'), [])
})

test('204 DELETE takes people’s access, applications’ connections and places in webhooks along', async () => {
  const application = await scene.application()
  await production.put('/facilities/leaves', { name: 'Leaves' })
  await production.put('/facilities/stays', { name: 'Stays' })
  for (const id of ['leaves', 'stays']) {
    assertNothing(await production.put(`/facilities/${id}/people/${scene.nurse.id}`))
    assertNothing(await production.put(`/facilities/${id}/applications/${application.id}`))
  }
  await db`
    insert into webhooks (id, kind, environment, application_id, url, events, secrets_sealed)
    values ('whk_1', 'facility', 'production', ${application.id}, 'https://x.example', '{all}', '\\x00')`
  await db`
    insert into webhook_facilities (webhook_id, environment, facility_id, position)
    values ('whk_1', 'production', 'leaves', 0), ('whk_1', 'production', 'stays', 1)`
  assertNothing(await production.delete('/facilities/leaves'))
  const left = await db<Array<{ id: string }>>`
    select facility_id as id from facility_access where facility_id in ('leaves', 'stays')
    union all select facility_id from facility_connections where facility_id in ('leaves', 'stays')
    union all select facility_id from webhook_facilities`
  assert.deepEqual(
    left.map(({ id }) => id),
    ['stays', 'stays', 'stays'],
  )
})
