import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { type WebhookVector, webhookVectors } from '../../scripts/webhook-vectors.ts'
import { ask } from '../harness/answer.ts'
import { webhookIn } from '../harness/api-client.ts'
import { startApiScene } from '../harness/api-scene.ts'
import { PATIENCE_MS, soon } from '../harness/soon.ts'
import { blockOf, languageMissing, runSample, SAMPLE_LANGUAGES } from '../harness/verify-samples.ts'

const LONGEST_SAMPLE = 35

const page = readFileSync(join(import.meta.dirname, '../../docs/pages/webhooks/verify.md'), 'utf8')
const scene = await startApiScene()
after(scene.service.stop)
const delivered = await deliveredWebhook()
const vectors: WebhookVector[] = [
  ...webhookVectors(),
  { ...delivered, name: 'a delivery of this service', valid: true, reason: '' },
  { ...delivered, name: 'the same, changed', body: `${delivered.body} `, valid: false, reason: 'changed' },
]

describe('samples that verify a webhook', { concurrency: true }, () => {
  for (const language of SAMPLE_LANGUAGES) {
    const missing = languageMissing(language)
    if (missing !== false) console.log(missing)
    test(`${language.name}: every vector, and a delivery of the service`, { skip: missing }, async () => {
      const sample = blockOf(page, `${language.fence} verify`)
      assert.ok(sample, `the page has no block ${language.fence} verify`)
      const said = await runSample(language, sample, vectors)
      assert.deepEqual(
        vectors.map(({ name }, position) => `${name}: ${said[position]}`),
        vectors.map(({ name, valid }) => `${name}: ${valid}`),
      )
    })
  }
})

test('each sample is short, and there is no other', () => {
  const fences = [...page.matchAll(/^```(\w+) verify$/gm)].map(([, fence]) => fence)
  assert.deepEqual(
    fences,
    SAMPLE_LANGUAGES.map(({ fence }) => fence),
  )
  for (const { name, fence } of SAMPLE_LANGUAGES) {
    const lines = (blockOf(page, `${fence} verify`) ?? '').trimEnd().split('\n').length
    assert.ok(lines <= LONGEST_SAMPLE, `${name}: ${lines} lines`)
  }
})

test('what the page shows of a signature is so', () => {
  const [first] = webhookVectors()
  assert.ok(first)
  for (const [name, value] of Object.entries(first.headers)) assert.ok(page.includes(`${name}: ${value}`), name)
  const { stdout, stderr } = spawnSync('bash', ['-eu', '-o', 'pipefail'], { input: blockOf(page, 'sh') ?? '' })
  assert.equal(String(stdout), blockOf(page, 'text'), String(stderr))
})

/** What came to the demo's receiver, signed with two secrets of which this receiver knows the second. */
async function deliveredWebhook(): Promise<Pick<WebhookVector, 'secrets' | 'headers' | 'body' | 'now'>> {
  const { demo } = scene.service
  const receiver = demo['RECEIVER_URL'] ?? ''
  const machine = { id: demo['MACHINE_CLIENT_ID'] ?? '', secret: demo['MACHINE_CLIENT_SECRET'] ?? '' }
  const api = await scene.appApi(machine, 'sandbox')
  const url = `${receiver}/verify-samples`
  const wanted = { url, events: ['all'], facilities: [], secrets: [] }
  const { id, secrets } = webhookIn(await api.post('/webhooks/facility', wanted), 201)
  await api.patch(`/webhooks/facility/${id}`, { secrets: [] })
  const sent = await api.post(`/webhooks/facility/${id}/test`, { type: 'shift.created' })
  assert.equal(sent.status < 300, true, sent.text)
  type Shown = { path: string; headers: Record<string, string>; body: string }
  let shown: Shown | undefined
  const arrived = async () => {
    const { data }: { data: Shown[] } = JSON.parse((await ask(`${receiver}/received`)).text)
    shown = data.find(({ path }) => path === '/verify-samples')
    return shown !== undefined
  }
  assert.ok(await soon(arrived, PATIENCE_MS))
  const { headers = {}, body = '' } = shown ?? {}
  assert.equal(headers['webhook-signature']?.split(' ').length, 2)
  return { secrets, headers, body, now: Math.floor(Date.now() / 1_000) }
}
