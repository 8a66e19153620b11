import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { type Answer, ask } from '../harness/answer.ts'
import { assertFaults, assertProblem, faultsIn } from '../harness/api-client.ts'
import {
  assertNothing,
  dataOf,
  listOf,
  peopleOf,
  personOf,
  startPlatformScene,
  unchanged,
} from '../harness/platform-scene.ts'
import { soon } from '../harness/soon.ts'

const scene = await startPlatformScene()
after(scene.service.stop)
const { db, production, sandbox, nurse } = scene

const MEBIBYTE = 1024 * 1024

test('403 not_a_sandbox_person: a sandbox key neither reads nor changes who was not made with one', async () => {
  await production.put('/people/real', personOf('real'))
  await sandbox.put('/people/toy', personOf('toy'))
  for (const id of ['real', nurse.id]) {
    const answers = await unchanged(db, async () => [
      await sandbox.put(`/people/${id}`, personOf(id)),
      await sandbox.put(`/people/${id}`, personOf(id, { blocked: true })),
      await sandbox.get(`/people/${id}`),
      await sandbox.delete(`/people/${id}`),
      await sandbox.post('/people/batch', [
        { id: 'toy', ...personOf('toy', { name: 'New' }) },
        { id, ...personOf(id) },
      ]),
      await sandbox.post('/people/batch-delete', ['toy', id]),
    ])
    for (const answer of answers) {
      assertProblem(answer, 403, 'not_a_sandbox_person')
      assert.ok(!answer.text.includes(nurse.email))
    }
    const batches = answers.slice(4)
    assert.deepEqual(
      batches.map((answer) => faultsIn(answer).map(({ pointer }) => pointer)),
      [['/1'], ['/1']],
    )
  }
})

test('a sandbox key reads, changes and deletes its own people, and a production key all of them', async () => {
  assert.equal(dataOf(await sandbox.put('/people/own', personOf('own')), 201)['madeIn'], 'sandbox')
  assert.equal(dataOf(await sandbox.put('/people/own', personOf('own', { name: 'Own' })))['name'], 'Own')
  assert.equal((await sandbox.get('/people/own')).status, 200)
  assertNothing(await sandbox.delete('/people/own'))
  await sandbox.put('/people/own', personOf('own'))
  assertNothing(await production.delete('/people/own'))
  const { email, role, name } = nurse
  const kept = dataOf(await production.put(`/people/${nurse.id}`, { email, role, name }))
  assert.equal(kept['madeIn'], null, 'who signed up stays their own')
  assert.equal(
    (await sandbox.put(`/facilities/fac_sandbox_riverside/people/${nurse.id}`)).status,
    204,
    'access in the sandbox is the sandbox’s',
  )
})

test('both keys make the same people at once: production has them all in the end', async () => {
  const ids = Array.from({ length: 12 }, (_, number) => `contested-${number}`)
  const answers = await Promise.all(
    ids.flatMap((id) => [
      sandbox.put(`/people/${id}`, personOf(id, { email: `planted-${id}@people.example` })),
      production.put(`/people/${id}`, personOf(id)),
      sandbox.put(`/people/${id}`, personOf(id, { email: `planted-${id}@people.example` })),
    ]),
  )
  assert.deepEqual(
    answers.filter(({ status }) => ![200, 201, 403].includes(status)),
    [],
  )
  for (const id of ids) {
    const { email, madeIn } = dataOf(await production.get(`/people/${id}`))
    assert.deepEqual([email, madeIn], [personOf(id)['email'], 'production'])
  }
})

test('sixteen accounts want one address at once: one gets it, the others hear that it is taken', async () => {
  const answers = await Promise.all(
    Array.from({ length: 16 }, (_, number) =>
      production.post('/people/batch', [
        ...peopleOf(`rush-${number}`, 3),
        { id: `rush-${number}`, ...personOf('x', { email: 'rush@people.example' }) },
      ]),
    ),
  )
  assert.equal(answers.filter(({ status }) => status === 200).length, 1)
  for (const answer of answers.filter(({ status }) => status !== 200)) {
    assertProblem(answer, 409, 'email_taken')
    assert.deepEqual(
      faultsIn(answer).map(({ pointer }) => pointer),
      ['/3/email'],
    )
  }
  const [row] = await db<[{ count: number }]>`select count(*)::int as count from users where id like 'rush-%'`
  assert.equal(row.count, 4)
})

test('eight overlapping batches at once, of people, facilities and ties: each is done, and none waits in a circle', async () => {
  const before = await deadlocks()
  const people = peopleOf('crowd', 120)
  const facilities = Array.from({ length: 40 }, (_, number) => ({ id: `crowd-${number}`, name: 'F' }))
  const links = people.map(({ id }, number) => ({ facilityId: `crowd-${number % 40}`, userId: id }))
  const shuffled = <Item>(items: readonly Item[], round: number) =>
    [...items.slice(round * 7), ...items.slice(0, round * 7)].toSorted(
      (_, other) => ((items.indexOf(other) * (round + 3)) % 5) - 2,
    )
  const rounds = Array.from({ length: 8 }, (_, round) => round)

  for (let again = 0; again < 2; again += 1) {
    const made = await Promise.all(
      rounds.flatMap((round) => [
        production.post(
          '/people/batch',
          shuffled(people, round).map((person) => ({ ...person, name: `Round ${round}` })),
        ),
        production.post(
          '/facilities/batch',
          shuffled(facilities, round).map((each) => ({ ...each, name: `Round ${round}` })),
        ),
      ]),
    )
    assertAll(made, [200])
    const tied = await Promise.all(rounds.map((round) => production.post('/access/batch', shuffled(links, round))))
    assertAll(tied, [204])
    const names = await db<Array<{ name: string }>>`select distinct name from users where id like 'crowd-%'`
    assert.equal(names.length, 1, 'the last batch, whole')
  }
  assert.equal(await deadlocks(), before)

  const mixed = await Promise.all(
    rounds.flatMap((round) => [
      production.post('/people/batch', shuffled(people, round)),
      production.post(
        '/people/batch-delete',
        shuffled(people, round)
          .slice(0, 60)
          .map(({ id }) => id),
      ),
      production.post('/access/batch', shuffled(links, round).slice(0, 60)),
      production.post('/access/batch-delete', shuffled(links, round).slice(0, 60)),
      production.post(
        '/facilities/batch-delete',
        shuffled(facilities, round)
          .slice(0, 20)
          .map(({ id }) => id),
      ),
    ]),
  )
  assertAll(mixed, [200, 204, 422])
})

const HOSTILE: Array<[title: string, body: string | Uint8Array<ArrayBuffer>]> = [
  ['not JSON', '{'],
  ['two values', '{} {}'],
  ['a name twice', '{"role":"NURSE_USER","role":"FACILITY_USER","email":"a@b.example","name":"A"}'],
  ['a name twice, once escaped', '{"name":"A","n\\u0061me":"B"}'],
  ['a NUL', '{"role":"NURSE_USER","email":"a@b.example","name":"A\\u0000B"}'],
  ['a NUL in a name', '{"na\\u0000me":"A"}'],
  ['half a surrogate pair', '{"role":"NURSE_USER","email":"a@b.example","name":"A\\ud800"}'],
  ['bytes that are not UTF-8', new Uint8Array([0x22, 0xc3, 0x28, 0x22])],
  ['a hundred levels', `${'['.repeat(100)}${']'.repeat(100)}`],
  ['a million levels', '['.repeat(MEBIBYTE)],
  ['a hundred thousand closed levels', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`],
]
for (const [title, body] of HOSTILE) {
  test(`400 malformed_json: ${title}`, async () => {
    for (const [method, path] of [
      ['PUT', '/people/hostile'],
      ['POST', '/people/batch'],
      ['PUT', '/facilities/hostile'],
      ['POST', '/access/batch'],
    ] as const)
      assertProblem(await production.raw(method, path, body), 400, 'malformed_json')
    assert.equal((await production.get('/people/hostile')).status, 404)
  })
}

test('400 for no body, 415 for another type', async () => {
  assertProblem(await production.put('/people/hostile'), 400, 'malformed_json')
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp'])
    assertProblem(
      await production.raw('PUT', '/people/hostile', '{}', { 'content-type': type }),
      415,
      'unsupported_media_type',
    )
})

test('422: names that mean something to JavaScript are names of unknown fields', async () => {
  const body =
    '{"role":"NURSE_USER","email":"p@p.example","name":"P","__proto__":{"blocked":true},"constructor":1,"toString":2}'
  assertFaults(
    await production.raw('PUT', '/people/hostile', body),
    '/__proto__ unknown_field',
    '/constructor unknown_field',
    '/toString unknown_field',
  )
  assertFaults(
    await production.raw('POST', '/connections/batch', '[{"__proto__":{"facilityId":"a","applicationId":"b"}}]'),
    '/0/__proto__ unknown_field',
    '/0/facilityId required',
    '/0/applicationId required',
  )
})

test('413 for one byte more than 8 MiB; up to that it is read', async () => {
  const body = (size: number) => {
    const json = JSON.stringify([{ id: 'large', ...personOf('large') }])
    return json + ' '.repeat(size - json.length)
  }
  assert.equal(listOf(await production.raw('POST', '/people/batch', body(8 * MEBIBYTE))).length, 1)
  const refused = await production.raw('POST', '/people/batch', body(8 * MEBIBYTE + 1))
  assertProblem(refused, 413, 'body_too_large')
  assert.equal(refused.body['detail'], 'The request body is larger than 8 MiB.')
})

test('neither a key nor what is said of people reaches the log', async () => {
  await production.put('/people/logged', personOf('logged', { phoneNumber: '+15550109999' }))
  await production.put('/people/logged', personOf('logged', { email: 'hunter2', nickname: 7 }))
  await ask(`${scene.url}/platform/v1/people/logged?key=${scene.keys.production}`, {
    headers: { authorization: `Bearer ${scene.keys.production}x` },
  })
  const log = scene.service.logged.join('\n')
  assert.match(log, /"door":"platform-api","method":"PUT","path":"\/platform\/v1\/people\/logged","status":201/)
  for (const secret of [scene.keys.production, scene.keys.sandbox, 'hunter2', '5550109999', '@people.example'])
    assert.ok(!log.includes(secret), secret)
  assert.doesNotMatch(log, /"level":50/, 'and nothing in this file was a fault of ours')
})

/** Every one of these statuses, and nothing else. */
function assertAll(answers: readonly Answer[], statuses: readonly number[]): void {
  assert.deepEqual(
    answers.filter(({ status }) => !statuses.includes(status)).map(({ status, text }) => `${status} ${text}`),
    [],
  )
}

/** PostgreSQL counts them a little later than they happen. */
async function deadlocks(): Promise<number> {
  const counted = async () =>
    (
      await db<[{ deadlocks: number }]>`select deadlocks::int from pg_stat_database where datname = current_database()`
    )[0].deadlocks
  let last = await counted()
  await soon(async () => {
    const next = await counted()
    const isStill = next === last
    last = next
    return !isStill
  }, 2_000)
  return last
}
