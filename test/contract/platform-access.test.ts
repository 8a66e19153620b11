import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { textOf } from '../harness/answer.ts'
import { assertFaults, assertProblem } from '../harness/api-client.ts'
import { assertNothing, dataOf, listOf, peopleOf, startPlatformScene } from '../harness/platform-scene.ts'

const scene = await startPlatformScene()
after(scene.service.stop)
const { db, production, sandbox } = scene
const application = await scene.application()

/** The two ties to a facility have the same operations in other words. */
const KINDS = [
  {
    noun: 'people',
    otherId: 'userId',
    batch: '/access',
    since: 'grantedAt',
    unknown: 'unknown_person',
    one: scene.nurse.id,
  },
  {
    noun: 'applications',
    otherId: 'applicationId',
    batch: '/connections',
    since: 'connectedAt',
    unknown: 'unknown_application',
    one: application.id,
  },
] as const

before(async () => {
  for (const platform of [production, sandbox]) {
    await platform.post(
      '/facilities/batch',
      ['a', 'b', 'c', 'd'].map((id) => ({ id, name: id })),
    )
  }
  await production.put('/facilities/production-only', { name: 'P' })
})

for (const { noun, otherId, batch, since, unknown, one } of KINDS) {
  const list = async (facility: string, platform = production) =>
    listOf(await platform.get(`/facilities/${facility}/${noun}`))
  const idsOf = async (facility: string, platform = production) =>
    (await list(facility, platform)).map((each) => each[otherId])

  test(`204 PUT and DELETE /facilities/:facilityId/${noun}/:${otherId}, once and again`, async () => {
    const path = `/facilities/a/${noun}/${one}`
    assertNothing(await production.put(path))
    const [first] = await list('a')
    assertNothing(await production.put(path))
    assert.deepEqual(await list('a'), [first], 'it stays as old as it is')
    assert.deepEqual(Object.keys(first ?? {}), [otherId, since])
    assert.deepEqual(await idsOf('a', sandbox), [], 'nothing of it in the other environment')
    assertNothing(await sandbox.delete(path))
    assert.deepEqual(await idsOf('a'), [one])
    assertNothing(await production.delete(path))
    assertNothing(await production.delete(path))
    assert.deepEqual(await idsOf('a'), [])
  })

  test(`404 for a facility or one of its ${noun} that is not there`, async () => {
    for (const path of [`/facilities/nowhere/${noun}/${one}`, `/facilities/a/${noun}/nobody`]) {
      assertProblem(await production.put(path), 404, 'not_found')
      assertProblem(await production.delete(path), 404, 'not_found')
    }
    assertProblem(await sandbox.put(`/facilities/production-only/${noun}/${one}`), 404, 'not_found')
    assertProblem(await sandbox.get(`/facilities/production-only/${noun}`), 404, 'not_found')
    assertProblem(await production.get(`/facilities/nowhere/${noun}`), 404, 'not_found')
    assertFaults(await production.put(`/facilities/a%20/${noun}/${one}`), '/path/facilityId malformed')
    assertFaults(await production.put(`/facilities/a/${noun}/${'x'.repeat(65)}`), `/path/${otherId} malformed`)
  })

  test(`204 POST ${batch}/batch and ${batch}/batch-delete: all or none, and what is so already stays so`, async () => {
    const links = ['a', 'b', 'c'].map((facilityId) => ({ facilityId, [otherId]: one }))
    assertNothing(await production.post(`${batch}/batch`, links.slice(0, 2)))
    assertNothing(await production.post(`${batch}/batch`, links))
    for (const id of ['a', 'b', 'c']) assert.deepEqual(await idsOf(id), [one])
    const unknownOnes = [...links, { facilityId: 'nowhere', [otherId]: one }, { facilityId: 'd', [otherId]: 'nobody' }]
    for (const what of ['batch', 'batch-delete']) {
      assertFaults(
        await production.post(`${batch}/${what}`, unknownOnes),
        '/3/facilityId unknown_facility',
        `/4/${otherId} ${unknown}`,
      )
    }
    for (const id of ['a', 'b', 'c']) assert.deepEqual(await idsOf(id), [one])
    assert.deepEqual(await idsOf('d'), [])
    assertNothing(await sandbox.post(`${batch}/batch-delete`, links))
    assert.deepEqual(await idsOf('a'), [one])
    assertNothing(await production.post(`${batch}/batch-delete`, [...links, { facilityId: 'd', [otherId]: one }]))
    for (const id of ['a', 'b', 'c', 'd']) assert.deepEqual(await idsOf(id), [])
  })

  test(`422 ${batch}/batch: every wrong field at once, duplicates, none and 501`, async () => {
    const link = { facilityId: 'a', [otherId]: one }
    assertFaults(
      await production.post(`${batch}/batch`, [
        link,
        {},
        { ...link, role: 'x' },
        { facilityId: 'a b', [otherId]: 7 },
        link,
        null,
      ]),
      '/1/facilityId required',
      `/1/${otherId} required`,
      '/2/role unknown_field',
      '/3/facilityId malformed',
      `/3/${otherId} wrong_type`,
      '/4 duplicate',
      '/5 wrong_type',
    )
    assertFaults(await production.post(`${batch}/batch`, []), ' too_few')
    const many = Array.from({ length: 501 }, (_, number) => ({ ...link, facilityId: `f${number}` }))
    assertFaults(await production.post(`${batch}/batch`, many), ' too_many')
    assert.deepEqual(await idsOf('a'), [])
  })

  test(`422 GET /facilities/:facilityId/${noun} with another limit, a made-up cursor or an unknown parameter`, async () => {
    for (const [query, fault] of [
      ['limit=0', '/query/limit out_of_range'],
      ['limit=101', '/query/limit out_of_range'],
      ['limit=1e1', '/query/limit out_of_range'],
      ['cursor=%F0', null],
      ['cursor=!!', '/query/cursor malformed'],
      ['cursor=YSBi', '/query/cursor malformed'],
      ['page=2', '/query/page unknown_parameter'],
      ['limit=1&limit=2', '/query/limit duplicate'],
    ] as const) {
      const answer = await production.get(`/facilities/a/${noun}?${query}`)
      if (fault === null) assertProblem(answer, 400, 'malformed_url')
      else assertFaults(answer, fault)
    }
  })
}

test('200 GET /facilities/:facilityId/people page by page, each once, whatever comes and goes meanwhile', async () => {
  const people = peopleOf('paged', 250)
  await production.post('/people/batch', people)
  await production.post(
    '/access/batch',
    people.map(({ id }) => ({ facilityId: 'd', userId: id })),
  )
  const seen: unknown[] = []
  let next: string | null = null
  let pages = 0
  do {
    const answer = await production.get(`/facilities/d/people${next === null ? '' : `?cursor=${next}`}`)
    assert.deepEqual(Object.keys(answer.body), ['data', 'next'])
    seen.push(...listOf(answer).map(({ userId }) => userId))
    next = answer.body['next'] === null ? null : textOf(answer, 'next')
    pages += 1
    if (pages === 1) await production.delete(`/facilities/d/people/${String(people[3]?.['id'])}`)
  } while (next !== null)
  // Fifty to a page, as in every list.
  assert.equal(pages, 5)
  assert.deepEqual(
    seen,
    people.map(({ id }) => id),
  )
  const small = await production.get('/facilities/d/people?limit=2')
  assert.equal(Object.keys(dataOf(small)).length, 2)
  assertNothing(
    await production.post(
      '/people/batch-delete',
      people.map(({ id }) => id),
    ),
  )
  assert.deepEqual(listOf(await production.get('/facilities/d/people')), [])
})

test('404: a deleted application can be connected to nothing', async () => {
  const gone = await scene.application()
  await db`update applications set deleted_at = now() where id = ${gone.id}`
  assertProblem(await production.put(`/facilities/a/applications/${gone.id}`), 404, 'not_found')
})
