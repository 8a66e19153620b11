import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { type Api, assertFaults, pageIn, webhookIn } from '../harness/api-client.ts'
import { FACILITY_HOOK, startApiScene } from '../harness/api-scene.ts'

const scene = await startApiScene()
after(scene.service.stop)

/** Every page of a list, by following `next`. */
async function pages(api: Api, path: string, query = ''): Promise<string[][]> {
  const found: string[][] = []
  for (let next: string | null = ''; next !== null; ) {
    const page = pageIn(await api.get(`${path}?${query}${next && `&cursor=${next}`}`))
    found.push(page.data.map(({ id }) => id))
    assert.ok(found.length < 50, 'the pages go round in a circle')
    next = page.next
  }
  return found
}

test('200 with nothing there: an empty page and no next', async () => {
  const api = await scene.appApi(await scene.integrator())
  for (const kind of ['facility', 'user'])
    assert.deepEqual((await api.get(`/webhooks/${kind}`)).body, { data: [], next: null })
})

test('200, newest first, each as it is when it is read alone, and never stored by anybody', async () => {
  const application = await scene.integrator()
  await scene.facility('production', application)
  const api = await scene.appApi(application)
  const made = [
    webhookIn(await api.post('/webhooks/facility', FACILITY_HOOK), 201),
    webhookIn(await api.post('/webhooks/facility', FACILITY_HOOK), 201),
  ]
  const answer = await api.get('/webhooks/facility')
  assert.deepEqual(pageIn(answer).data, made.toReversed())
  assert.equal(answer.headers.get('cache-control'), 'no-store')
})

test('200 of one kind only', async () => {
  const application = await scene.integrator()
  const facility = await scene.webhooks({ application }, 'facility', 2)
  const user = await scene.webhooks({ application }, 'user', 1)
  const api = await scene.appApi(application)
  assert.deepEqual(await pages(api, '/webhooks/facility'), [facility.toReversed()])
  assert.deepEqual(await pages(api, '/webhooks/user'), [user])
})

test('200 with a person’s token: that person’s; with the application’s: all, those of its people included', async () => {
  const application = await scene.integrator()
  const [ann, bob] = [await scene.person(), await scene.person()]
  const [anns, bobs, own] = [
    await scene.webhooks({ application, userId: ann }, 'user', 2),
    await scene.webhooks({ application, userId: bob }, 'user', 1),
    await scene.webhooks({ application }, 'user', 1),
  ]
  assert.deepEqual(await pages(await scene.personApi(application, ann), '/webhooks/user'), [anns.toReversed()])
  assert.deepEqual(await pages(await scene.personApi(application, bob), '/webhooks/user'), [bobs])
  const all = [...anns, ...bobs, ...own].toSorted().toReversed()
  assert.deepEqual(await pages(await scene.appApi(application), '/webhooks/user'), [all])
})

test('200 page by page: each webhook once, in order, and next is null on the last page only', async () => {
  const application = await scene.integrator()
  const all = (await scene.webhooks({ application }, 'facility', 7)).toSorted().toReversed()
  const api = await scene.appApi(application)
  for (const limit of [1, 3, 6, 7, 8]) {
    const found = await pages(api, '/webhooks/facility', `limit=${limit}`)
    assert.deepEqual(found.flat(), all, `limit ${limit}`)
    assert.equal(found.length, Math.ceil(7 / limit), `limit ${limit}`)
  }
})

test('200 with 50 on a page by default, and 100 at most', async () => {
  const application = await scene.integrator()
  await scene.webhooks({ application }, 'user', 101)
  const api = await scene.appApi(application)
  assert.deepEqual(
    (await pages(api, '/webhooks/user')).map(({ length }) => length),
    [50, 50, 1],
  )
  assert.deepEqual(
    (await pages(api, '/webhooks/user', 'limit=100')).map(({ length }) => length),
    [100, 1],
  )
})

test('200: what is made or deleted between two pages shifts nothing', async () => {
  const application = await scene.integrator()
  const all = (await scene.webhooks({ application }, 'user', 4)).toSorted().toReversed()
  const api = await scene.appApi(application)
  const first = pageIn(await api.get('/webhooks/user?limit=2'))
  assert.equal((await api.delete(`/webhooks/user/${all[1]}`)).status, 204, 'the one that the cursor names')
  await scene.webhooks({ application }, 'user', 1)
  const second = pageIn(await api.get(`/webhooks/user?limit=2&cursor=${first.next}`))
  assert.deepEqual(
    [...first.data, ...second.data].map(({ id }) => id),
    all,
  )
})

test('200 with the cursor of another list of the same kind: only one’s own', async () => {
  const [mine, others] = [await scene.integrator(), await scene.integrator()]
  const older = await scene.webhooks({ application: mine }, 'user', 1)
  await scene.webhooks({ application: others }, 'user', 3)
  const { next } = pageIn(await (await scene.appApi(others)).get('/webhooks/user?limit=1'))
  const api = await scene.appApi(mine)
  assert.deepEqual(
    pageIn(await api.get(`/webhooks/user?cursor=${next}`)).data.map(({ id }) => id),
    older,
  )
})

test('200 with a limit or a cursor that is empty: as if it were not there', async () => {
  const api = await scene.appApi(await scene.integrator())
  assert.deepEqual((await api.get('/webhooks/user?limit=&cursor=')).body, { data: [], next: null })
})

test('422 for a limit or a cursor that is none, and for a parameter that does not exist', async () => {
  const api = await scene.appApi(await scene.integrator())
  const cursorOf = (text: string) => Buffer.from(text).toString('base64url')
  const cases: Array<[string, string[]]> = [
    ...['0', '101', '-1', '1.5', '1e1', 'ten', '%2B5', '05'].map((limit): [string, string[]] => [
      `limit=${limit}`,
      ['/query/limit out_of_range'],
    ]),
    ...['x', cursorOf('usr_00000000000000000000000000000000'), cursorOf("whk_' or true --"), 'a'.repeat(5_000)].map(
      (cursor): [string, string[]] => [`cursor=${cursor}`, ['/query/cursor malformed']],
    ),
    ['limit=5&limit=6', ['/query/limit duplicate']],
    ['Limit=5&page=2', ['/query/Limit unknown_parameter', '/query/page unknown_parameter']],
    ['limit=0&cursor=zz&x=1', ['/query/x unknown_parameter', '/query/limit out_of_range', '/query/cursor malformed']],
    ['limit=0&cursor=x', ['/query/limit out_of_range', '/query/cursor malformed']],
  ]
  for (const [query, faults] of cases) assertFaults(await api.get(`/webhooks/user?${query}`), ...faults)
})
