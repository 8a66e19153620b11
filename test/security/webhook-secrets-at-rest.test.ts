import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import { keepAnswer, resealKeptAnswers } from '../../src/domain/idempotency/idempotency-store.ts'
import { createCipher } from '../../src/platform/cipher.ts'
import { type Api, assertProblem, webhookIn } from '../harness/api-client.ts'
import { FACILITY_HOOK, startApiScene, USER_HOOK } from '../harness/api-scene.ts'
import { tablesWith } from '../harness/stored-bytes.ts'
import { withoutTable } from '../harness/table-lock.ts'

const scene = await startApiScene()
after(scene.service.stop)
const { db } = scene
const application = await scene.integrator()
await scene.facility('production', application)
const token = await scene.appToken(application)
const api = scene.api(token)

const failing = <Value>(work: () => Promise<Value>) => withoutTable(db, 'webhook_counts', work)
const logged = () => scene.service.logged.join('\n')
const newSecret = () => randomBytes(24).toString('base64url')

/** Every secret that a webhook had while it was made, changed and rotated, with keys and without. */
async function lifeOfSecrets(caller: Api): Promise<string[]> {
  const given = [newSecret(), newSecret(), newSecret(), `whsec_${randomBytes(24).toString('base64')}`]
  const [first, second, third, fourth] = given
  const made = webhookIn(await caller.post('/webhooks/facility', { ...FACILITY_HOOK, secrets: [first, second] }), 201)
  const path = `/webhooks/facility/${made.id}`
  const rotated = webhookIn(await caller.patch(path, { secrets: [] }))
  await caller.patch(path, { secrets: [third, fourth] })
  await caller.post(`${path}/disable`, undefined, { 'idempotency-key': made.id })
  await caller.get('/webhooks/facility')
  const generated = webhookIn(await caller.post('/webhooks/user', USER_HOOK, { 'idempotency-key': made.id }), 201)
  return [...given, ...rotated.secrets, ...generated.secrets]
}

test('no secret can be read in any table, whatever happened to its webhook', async () => {
  for (const secret of await lifeOfSecrets(api)) {
    assert.deepEqual(await tablesWith(db, secret), [])
    assert.deepEqual(await tablesWith(db, secret.replace(/^whsec_/, '')), [])
  }
})

test('the bytes that a whsec_ secret stands for cannot be read either', async () => {
  const bytes = Buffer.from(randomBytes(32).toString('hex').slice(0, 32))
  await api.post('/webhooks/user', { ...USER_HOOK, secrets: [`whsec_${bytes.toString('base64')}`] })
  assert.deepEqual(await tablesWith(db, bytes.toString()), [])
})

test('no secret and no token reaches the log, when all goes well and when it does not', async () => {
  const secrets = await lifeOfSecrets(api)
  const unlucky = newSecret()
  const body = { ...USER_HOOK, secrets: [unlucky] }
  const attempts = [
    await api.raw('POST', '/webhooks/user', JSON.stringify(body).slice(0, -1)),
    await api.post('/webhooks/user', { ...body, secrets: [unlucky, unlucky, unlucky] }),
    await api.post('/webhooks/user', { ...body, secrets: [`whsec_${unlucky}!`] }),
    await api.post('/webhooks/user', { ...body, [unlucky]: 1 }, { 'idempotency-key': 'unlucky' }),
    await scene.api(`${token}x`).post('/webhooks/user', body),
    await failing(() => api.post('/webhooks/user', body)),
    await failing(() => api.post('/webhooks/user', body, { 'idempotency-key': 'failing' })),
  ]
  assert.deepEqual(
    attempts.map(({ status }) => status),
    [400, 422, 422, 422, 401, 500, 500],
  )
  for (const secret of [...secrets, unlucky, token, token.split('.')[2] ?? '']) assert.ok(!logged().includes(secret))
  assert.match(logged(), /"request failed"/, 'although the failures were logged')
})

test('no error quotes a secret', async () => {
  const unlucky = newSecret()
  const answers = [
    await api.raw('POST', '/webhooks/user', `{"secrets":["${unlucky}"]`),
    await api.raw('POST', '/webhooks/user', `{"secrets":["${unlucky}","${unlucky}\\u0000"]}`),
    await api.post('/webhooks/user', { ...USER_HOOK, secrets: [unlucky, unlucky] }),
    await api.post('/webhooks/user', { ...USER_HOOK, secrets: [`whsec_${unlucky}!`] }),
    await api.post('/webhooks/user', { ...USER_HOOK, secrets: unlucky }),
    await api.post('/webhooks/user', { ...USER_HOOK, events: [unlucky] }),
    await api.post('/webhooks/user', { ...USER_HOOK, secrets: [{ [unlucky]: 1 }] }),
    await failing(() => api.post('/webhooks/user', { ...USER_HOOK, secrets: [unlucky] })),
  ]
  for (const answer of answers) {
    assert.ok(answer.status >= 400, answer.text)
    assert.ok(!answer.text.includes(unlucky), answer.text)
  }
})

test('500: secrets that were moved to another row do not open there', async () => {
  const theirs = webhookIn(await api.post('/webhooks/user', USER_HOOK), 201)
  const mine = webhookIn(await api.post('/webhooks/user', USER_HOOK), 201)
  await db`
    update webhooks set secrets_sealed = (select secrets_sealed from webhooks where id = ${theirs.id})
    where id = ${mine.id}`
  const answer = await api.get(`/webhooks/user/${mine.id}`)
  assertProblem(answer, 500, 'internal_error')
  assert.ok(!answer.text.includes(theirs.secrets[0] ?? ''))
  await db`delete from webhooks where id = ${mine.id}`
})

test('more kept answers than are read at once are all sealed again', async () => {
  const [before, now] = [createCipher(Buffer.alloc(32, 1)), createCipher(Buffer.alloc(32, 2), [Buffer.alloc(32, 1)])]
  await db`delete from idempotency_keys`
  const requests = Array.from({ length: 1_001 }, (_, n) => ({ scope: [String(n)], body: '' }))
  await Promise.all(requests.map((request) => keepAnswer(db, before, request, { status: 204 })))
  assert.equal(await db.begin((tx) => resealKeptAnswers(tx, now)), 1_001)
  const keys = await db<Array<{ key: string }>>`
    select distinct encode(substring(answer_sealed from 2 for 8), 'hex') as key from idempotency_keys`
  assert.deepEqual(
    keys.map(({ key }) => key),
    [now.keyId],
  )
})
