import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { type Answer, assertError } from '../harness/answer.ts'
import { postFrom } from '../harness/from-address.ts'
import { startTokenScene } from '../harness/token-scene.ts'

const scene = await startTokenScene({ HANDOVER_HOST: '127.0.0.1' })
after(scene.service.stop)
const application = await scene.application({ passwordGrant: true })

/** Decision B18. */
const FAILURES = 10

const signIn = (address: string, username: string, password: string) =>
  postFrom(address, `${scene.url}/oidc/oauth/token`, {
    grant_type: 'password',
    client_id: application.id,
    client_secret: application.secret,
    username,
    password,
  })

async function fail(address: string, username: string, times: number): Promise<Answer[]> {
  const answers: Answer[] = []
  for (let turn = 0; turn < times; turn += 1) answers.push(await signIn(address, username, `wrong ${turn}`))
  return answers
}

test('the eleventh failure is 429 with Retry-After, and so is the right password then', async () => {
  const answers = await fail('127.0.0.2', 'nurse@example.com', FAILURES + 1)
  assert.deepEqual(
    answers.map(({ status }) => status),
    [...Array(FAILURES).fill(400), 429],
  )
  const right = await signIn('127.0.0.2', 'nurse@example.com', scene.password)
  assertError(right, 429, 'too_many_requests')
  const seconds = Number(right.headers.get('retry-after'))
  assert.ok(seconds > 800 && seconds <= 900, `${seconds} s`)
})

test('the same account from another address, and another account from the same address, are not touched', async () => {
  assert.equal((await signIn('127.0.0.1', 'nurse@example.com', scene.password)).status, 200)
  assert.equal((await signIn('127.0.0.2', 'facility@example.com', scene.password)).status, 200)
})

test('an account is the same in any case', async () => {
  const names = ['nurse2@example.com', 'NURSE2@example.com', ' nurse2@EXAMPLE.com']
  await Promise.all(names.map((name) => fail('127.0.0.3', name, 4)))
  assert.equal((await signIn('127.0.0.3', 'Nurse2@Example.com', scene.password)).status, 429)
})

test('known and unknown people: the same bodies in the same order', async () => {
  const known = await fail('127.0.0.4', 'facility@example.com', FAILURES + 2)
  const unknown = await fail('127.0.0.4', 'nobody@example.com', FAILURES + 2)
  const told = (answers: Answer[]) => answers.map(({ status, text }) => `${status} ${text.replace(/\d+ s/, '… s')}`)
  assert.deepEqual(told(unknown), told(known))
})

test('a success in between begins the count anew', async () => {
  for (let round = 0; round < 2; round += 1) {
    await fail('127.0.0.5', 'facility2@example.com', FAILURES - 1)
    assert.equal((await signIn('127.0.0.5', 'facility2@example.com', scene.password)).status, 200)
  }
})

test('guesses at the same moment: no more than ten are checked', async () => {
  const guesses = Array.from({ length: 40 }, (_, turn) => signIn('127.0.0.6', 'nurse@example.com', `wrong ${turn}`))
  const answers = await Promise.all(guesses)
  assert.equal(answers.filter(({ body }) => body['error'] === 'invalid_grant').length, FAILURES)
  assert.equal(answers.filter(({ status }) => status === 429).length, 40 - FAILURES)
})

test('one address cannot lock an account for everybody, however often it tries', async () => {
  await fail('127.0.0.7', 'nurse2@example.com', 110)
  assert.equal((await signIn('127.0.0.1', 'nurse2@example.com', scene.password)).status, 200)
})
