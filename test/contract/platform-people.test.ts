import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertFaults, assertProblem, faultsIn } from '../harness/api-client.ts'
import { assertNothing, dataOf, personOf, startPlatformScene, unchanged } from '../harness/platform-scene.ts'

const scene = await startPlatformScene()
after(scene.service.stop)
const { db, production, sandbox } = scene

const pointersOf = (answer: Parameters<typeof faultsIn>[0]) => faultsIn(answer).map(({ pointer }) => pointer)

test('201 PUT /people/:userId makes a person with the id that was given, without a password; 200 when they are there', async () => {
  const said = personOf('nurse:1', {
    username: ' Nurse.One ',
    nickname: 'One',
    picture: 'https://img.example/1.png',
    phoneNumber: '+1 (555) 010-0001',
    phoneNumberVerified: true,
    city: '  Salem ',
    state: 'OR',
  })
  const made = dataOf(await production.put('/people/nurse:1', said), 201)
  const { createdAt, updatedAt, ...fields } = made
  assert.deepEqual(fields, {
    id: 'nurse:1',
    role: 'NURSE_USER',
    email: 'nurse.1@people.example',
    emailVerified: true,
    username: 'Nurse.One',
    name: 'Person nurse:1',
    nickname: 'One',
    picture: 'https://img.example/1.png',
    phoneNumber: '+15550100001',
    phoneNumberVerified: true,
    city: 'Salem',
    state: 'OR',
    blocked: false,
    madeIn: 'production',
  })
  assert.equal(createdAt, updatedAt)
  const [row] = await db<Array<{ password_hash: string | null }>>`select password_hash from users where id = 'nurse:1'`
  assert.equal(row?.password_hash, null)
  assert.deepEqual(dataOf(await production.put('/people/nurse:1', said)), made, 'the same again writes nothing')
  assert.deepEqual(dataOf(await production.get('/people/nurse:1')), made)
})

test('200: what is left out stays, null empties, and emailVerified is true unless it is said otherwise', async () => {
  const full = {
    username: 'left-out',
    nickname: 'N',
    phoneNumber: '+15550100002',
    phoneNumberVerified: true,
    city: 'A',
    state: 'B',
  }
  await production.put('/people/left-out', personOf('left-out', { ...full, blocked: true, emailVerified: false }))
  const kept = dataOf(await production.put('/people/left-out', personOf('left-out', { name: 'Other' })))
  assert.deepEqual(
    { ...full, blocked: true, emailVerified: true, name: 'Other' },
    Object.fromEntries([...Object.keys(full), 'blocked', 'emailVerified', 'name'].map((name) => [name, kept[name]])),
  )
  assert.ok(String(kept['updatedAt']) > String(kept['createdAt']))
  const emptied = dataOf(
    await production.put(
      '/people/left-out',
      personOf('left-out', { username: null, nickname: '', phoneNumber: null, city: ' ' }),
    ),
  )
  for (const name of ['username', 'nickname', 'phoneNumber', 'city']) assert.equal(emptied[name], null, name)
  assert.equal(emptied['state'], 'B')
  assert.equal(emptied['phoneNumberVerified'], false, 'no number is not a verified one')
  const renumbered = { phoneNumber: '+15550100003', phoneNumberVerified: true }
  await production.put('/people/left-out', personOf('left-out', renumbered))
  const other = dataOf(await production.put('/people/left-out', personOf('left-out', { phoneNumber: '+15550100004' })))
  assert.equal(other['phoneNumberVerified'], false, 'nor is another number than before')
})

test('404 for nobody, and 204 for deleting them, once and again', async () => {
  await production.put('/people/goes', personOf('goes'))
  assertNothing(await production.delete('/people/goes'))
  assertNothing(await production.delete('/people/goes'))
  assertProblem(await production.get('/people/goes'), 404, 'not_found')
  assert.equal((await production.put('/people/goes', personOf('goes'))).status, 201)
})

test('422 with every wrong field at once, by the rules of the sign-up page', async () => {
  const answer = await unchanged(db, () =>
    production.put('/people/wrong', {
      role: 'ADMIN',
      email: 'nobody',
      emailVerified: 'yes',
      username: 'a@b',
      name: ' ',
      nickname: 'x'.repeat(51),
      picture: 'http://img.example/a.png',
      phoneNumber: 'call me',
      city: 'x'.repeat(101),
      state: 7,
      blocked: null,
      password: 'hunter2',
    }),
  )
  assertFaults(
    answer,
    '/role unknown_value',
    '/email malformed',
    '/emailVerified wrong_type',
    '/username malformed',
    '/name too_short',
    '/nickname malformed',
    '/picture malformed',
    '/phoneNumber malformed',
    '/city malformed',
    '/state wrong_type',
    '/blocked wrong_type',
    '/password unknown_field',
  )
  assert.ok(!answer.text.includes('hunter2'))
  assertFaults(await production.put('/people/wrong', {}), '/role required', '/email required', '/name required')
  assertFaults(await production.put('/people/wrong', [personOf('wrong')]), ' wrong_type')
})

const ODD_IDS = [
  'app:machine',
  'app:',
  'batch',
  'batch-delete',
  '.',
  '..',
  'a b',
  'ä',
  'a/b',
  'x'.repeat(65),
  'a%',
  "a'b",
]

test('422 for an id that is not 1 to 64 of [A-Za-z0-9_.:-], or that means something else', async () => {
  for (const id of ODD_IDS)
    assert.deepEqual(pointersOf(await production.post('/people/batch', [{ id, ...personOf('odd') }])), ['/0/id'], id)
  for (const id of ['app:machine', 'a b', 'ä', 'x'.repeat(65), "a'b"]) {
    const path = `/people/${encodeURIComponent(id)}`
    for (const answer of [
      await production.put(path, personOf('odd')),
      await production.get(path),
      await production.delete(path),
    ])
      assertFaults(answer, '/path/userId malformed')
  }
  for (const id of ['a', 'A-b_c.d:e', '0', 'APP:x', 'constructor', '__proto__', '...', 'x'.repeat(64)]) {
    assert.equal(
      (
        await production.put(
          `/people/${id}`,
          personOf(id, { email: `odd${id.length}${id.charCodeAt(0)}@people.example` }),
        )
      ).status,
      201,
      id,
    )
    assert.equal(dataOf(await production.get(`/people/${id}`))['id'], id)
  }
})

test('409 email_taken and username_taken, in whatever case; a production key is told who has it', async () => {
  await production.put('/people/first', personOf('first', { username: 'First' }))
  const taken = await unchanged(db, () =>
    production.put('/people/second', personOf('second', { email: 'FIRST@people.example' })),
  )
  assertProblem(taken, 409, 'email_taken')
  assert.deepEqual(pointersOf(taken), ['/email'])
  assert.match(taken.text, /the account first/)
  const both = await production.put(
    '/people/second',
    personOf('second', { email: 'first@people.example', username: 'FIRST' }),
  )
  assertProblem(both, 409, 'email_taken')
  assert.deepEqual(pointersOf(both), ['/email', '/username'])
  assertProblem(
    await production.put('/people/second', personOf('second', { username: 'fIRST' })),
    409,
    'username_taken',
  )
  const asSandbox = await sandbox.put('/people/second', personOf('second', { email: 'first@people.example' }))
  assertProblem(asSandbox, 409, 'email_taken')
  assert.doesNotMatch(asSandbox.text, /account first/)
  assert.equal(
    (await production.put('/people/first', personOf('first', { email: 'First@People.example' }))).status,
    200,
  )
})
