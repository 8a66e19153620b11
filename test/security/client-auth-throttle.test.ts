import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { type Answer, assertError } from '../harness/answer.ts'
import { postFrom } from '../harness/from-address.ts'
import { startSecondProcess } from '../harness/second-process.ts'
import { PRODUCTION, startTokenScene, type TestApplication } from '../harness/token-scene.ts'

const scene = await startTokenScene({ HANDOVER_HOST: '127.0.0.1' })
after(scene.service.stop)

/** Decision B14 leaves the numbers to us: twenty failures a minute for an application at an address. */
const PATIENCE = 20

const get = (address: string, application: TestApplication, at = scene.url) =>
  postFrom(address, `${at}/oidc/oauth/token`, {
    grant_type: 'client_credentials',
    audience: PRODUCTION,
    client_id: application.id,
    client_secret: application.secret,
  })

async function guess(address: string, application: TestApplication, times: number, at = scene.url): Promise<Answer[]> {
  const answers: Answer[] = []
  for (let turn = 0; turn < times; turn += 1)
    answers.push(await get(address, { ...application, secret: `guess ${turn}` }, at))
  return answers
}

const statuses = (answers: Answer[]) => answers.map(({ status }) => status)

test('guessing from one address is throttled there: 429 with Retry-After, with the right secret too', async () => {
  const application = await scene.application({ clientCredentials: true })
  const answers = await guess('127.0.0.2', application, PATIENCE + 3)
  assert.deepEqual(statuses(answers), [...Array(PATIENCE).fill(401), 429, 429, 429])
  const right = await get('127.0.0.2', application)
  assertError(right, 429, 'too_many_requests')
  const seconds = Number(right.headers.get('retry-after'))
  assert.ok(seconds > 0 && seconds <= 60)
})

test('it never blocks the rightful application on another address, and spends nothing of its rate limit', async () => {
  const application = await scene.application({ clientCredentials: true, ratePerSecond: 1, rateBurst: 5 })
  await guess('127.0.0.3', application, PATIENCE + 5)
  const rightful = await get('127.0.0.1', application)
  assert.equal(rightful.status, 200)
  assert.equal(rightful.headers.get('x-ratelimit-remaining'), '4')
})

test('nor does it block another application on the same address', async () => {
  const [attacked, other] = [
    await scene.application({ clientCredentials: true }),
    await scene.application({ clientCredentials: true }),
  ]
  await guess('127.0.0.4', attacked, PATIENCE + 1)
  assert.equal((await get('127.0.0.4', other)).status, 200)
})

test('unknown applications and wrong secrets are answered and throttled alike', async () => {
  const known = await guess('127.0.0.5', await scene.application(), PATIENCE + 2)
  const unknown = await guess('127.0.0.5', { id: 'app_unknown', secret: null }, PATIENCE + 2)
  assert.deepEqual(statuses(unknown), statuses(known))
  assert.equal(unknown[0]?.text, known[0]?.text)
  const headersOf = (answer: Answer | undefined) => [...(answer?.headers.keys() ?? [])].toSorted()
  assert.deepEqual(headersOf(unknown[0]), headersOf(known[0]))
})

test('one address that tries many applications is throttled as well, without blocking who knows the secret', async () => {
  const ids = Array.from({ length: 18 }, (_, number) => ({ id: `app_many_${number}`, secret: null }))
  const answers = (await Promise.all(ids.map((application) => guess('127.0.0.6', application, 18)))).flat()
  const refused = statuses(answers).filter((status) => status === 429).length
  assert.ok(refused >= 18 * 18 - 300, `${refused} of ${answers.length} refused`)
  const application = await scene.application({ clientCredentials: true })
  assert.equal((await get('127.0.0.6', application)).status, 200)
})

test('two processes count together: the second lets one more guess through at most', async () => {
  const second = await startSecondProcess(scene.service)
  try {
    const application = await scene.application({ clientCredentials: true })
    await guess('127.0.0.7', application, PATIENCE)
    const there = await guess('127.0.0.7', application, 3, second.url)
    assert.deepEqual(statuses(there), [429, 429, 429])
    assert.equal((await get('127.0.0.8', application, second.url)).status, 200)
  } finally {
    await second.stop()
  }
})

test('parallel guesses cannot exceed what is allowed', async () => {
  const application = await scene.application()
  const guesses = Array.from({ length: 60 }, (_, turn) => get('127.0.0.9', { ...application, secret: `guess ${turn}` }))
  const checked = statuses(await Promise.all(guesses)).filter((status) => status === 401).length
  assert.equal(checked, PATIENCE)
})
