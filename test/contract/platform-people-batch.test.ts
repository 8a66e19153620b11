import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertFaults, assertProblem, faultsIn } from '../harness/api-client.ts'
import { assertNothing, listOf, peopleOf, personOf, startPlatformScene, unchanged } from '../harness/platform-scene.ts'

const scene = await startPlatformScene()
after(scene.service.stop)
const { db, production } = scene

const pointersOf = (answer: Parameters<typeof faultsIn>[0]) => faultsIn(answer).map(({ pointer }) => pointer)

test('200 POST /people/batch: 500 people in the order they came, and the same again', async () => {
  const people = peopleOf('many', 500).toReversed()
  const made = listOf(await production.post('/people/batch', people))
  assert.deepEqual(
    made.map(({ id }) => id),
    people.map(({ id }) => id),
  )
  assert.deepEqual(listOf(await production.post('/people/batch', people)), made)
  const renamed = people.map((person, position) => (position % 2 === 0 ? person : { ...person, name: 'Renamed' }))
  const now = listOf(await production.post('/people/batch', renamed))
  assert.equal(now.filter(({ name }) => name === 'Renamed').length, 250)
  assert.equal(now.filter(({ updatedAt, createdAt }) => updatedAt === createdAt).length, 250)
  assertNothing(await production.post('/people/batch-delete', [...people.map(({ id }) => id).slice(1), 'never-was']))
  const [left] = await db<[{ count: number }]>`select count(*)::int as count from users where id like 'many-%'`
  assert.equal(left.count, 1)
})

test('422 for 501 people, for none, for what is no array, and for an id that is there twice', async () => {
  await unchanged(db, async () => {
    assertFaults(await production.post('/people/batch', peopleOf('too-many', 501)), ' too_many')
    assertFaults(await production.post('/people/batch', []), ' too_few')
    assertFaults(await production.post('/people/batch', { 0: personOf('x') }), ' wrong_type')
    const [one, two, three] = peopleOf('twice', 3)
    assertFaults(await production.post('/people/batch', [one, two, { ...three, id: 'twice-000' }]), '/2/id duplicate')
    const ids = Array.from({ length: 501 }, (_, number) => `p${number}`)
    assertFaults(await production.post('/people/batch-delete', ids), ' too_many')
    assertFaults(await production.post('/people/batch-delete', []), ' too_few')
    assertFaults(
      await production.post('/people/batch-delete', ['a', 7, 'a', 'app:x']),
      '/1 wrong_type',
      '/2 duplicate',
      '/3 malformed',
    )
  })
})

test('422: one wrong person of a batch changes nobody, and every one is named with its place', async () => {
  const people = peopleOf('whole', 30)
  await production.post('/people/batch', people.slice(0, 5))
  await unchanged(db, async () => {
    const wrong = people.map((person, position) =>
      position === 17 ? { ...person, name: 'New', email: 'no' } : { ...person, name: 'New' },
    )
    assertFaults(await production.post('/people/batch', wrong), '/17/email malformed')
    assertFaults(
      await production.post('/people/batch', [people[0], 'x', null, { id: 'y' }, { ...people[1], 'a/b~c': 1 }]),
      '/1 wrong_type',
      '/2 wrong_type',
      '/3/role required',
      '/3/email required',
      '/3/name required',
      '/4/a~1b~0c unknown_field',
    )
  })
})

test('409: a name of a batch that is taken changes nobody, outside of the batch and inside', async () => {
  await production.put('/people/holder', personOf('holder', { username: 'holder' }))
  await production.put('/people/keeper', personOf('keeper', { username: 'keeper' }))
  const people = peopleOf('claims', 4)
  await unchanged(db, async () => {
    const outside = await production.post('/people/batch', [
      people[0],
      { ...people[1], email: 'holder@people.example' },
      { ...people[2], username: 'Holder' },
    ])
    assertProblem(outside, 409, 'email_taken')
    assert.deepEqual(pointersOf(outside), ['/1/email', '/2/username'])
    const inside = await production.post('/people/batch', [
      people[0],
      { ...people[1], email: 'CLAIMS-000@people.example' },
    ])
    assertProblem(inside, 409, 'email_taken')
    assert.deepEqual(pointersOf(inside), ['/1/email'])
    const kept = await production.post('/people/batch', [
      { ...people[0], username: 'keeper' },
      { id: 'keeper', ...personOf('keeper') },
    ])
    assertProblem(kept, 409, 'username_taken')
    assert.deepEqual(pointersOf(kept), ['/0/username'])
  })
})

test('200: people of a batch may exchange their names, and a newcomer may take one that is given up', async () => {
  const [a, b, c] = peopleOf('swap', 3)
  await production.post('/people/batch', [
    { ...a, username: 'swap-a' },
    { ...b, username: 'swap-b' },
  ])
  const swapped = [
    { ...a, email: b?.['email'], username: 'swap-b' },
    { ...b, email: 'fresh@people.example', username: 'swap-a' },
    { ...c, email: a?.['email'] },
  ]
  const now = listOf(await production.post('/people/batch', swapped))
  assert.deepEqual(
    now.map(({ email, username }) => [email, username]),
    [
      [b?.['email'], 'swap-b'],
      ['fresh@people.example', 'swap-a'],
      [a?.['email'], null],
    ],
  )
})
