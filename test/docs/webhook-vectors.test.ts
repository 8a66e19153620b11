import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, mock, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import {
  WEBHOOK_VECTORS_FILE,
  type WebhookVector,
  webhookVectors,
  webhookVectorsText,
} from '../../scripts/webhook-vectors.ts'
import { verifySignature } from '../../src/app/demo/receiver/verify-signature.ts'
import { explainSignature } from '../../src/domain/deliveries/explain-signature.ts'

const vectors = webhookVectors()

test(`${WEBHOOK_VECTORS_FILE} is what the script makes; \`npm run vectors\` writes it`, () => {
  const kept = readFileSync(join(import.meta.dirname, '../..', WEBHOOK_VECTORS_FILE), 'utf8')
  assert.ok(kept === webhookVectorsText(), `${WEBHOOK_VECTORS_FILE} is out of date: npm run vectors`)
  assert.match(kept, /^[\n\x20-\x7e]*$/)
  const { vectors: read }: { vectors: WebhookVector[] } = JSON.parse(kept)
  assert.deepEqual(read, vectors)
})

test('every vector has a name of its own, and a reason if it is refused', () => {
  assert.equal(new Set(vectors.map(({ name }) => name)).size, vectors.length)
  for (const { name, valid, reason } of vectors) assert.equal(reason === '', valid, name)
})

const judges: Record<string, (vector: WebhookVector) => boolean> = {
  'the reference library of Standard Webhooks': byReference,
  'the receiver of demo mode': byReceiver,
  'the portal’s signature debugger': byDebugger,
}
for (const [judge, verify] of Object.entries(judges)) {
  describe(`${judge} agrees`, () => {
    for (const vector of vectors) test(vector.name, () => assert.equal(verify(vector), vector.valid))
  })
}

/** It takes one secret at a time, and a plain one as its bytes; an empty one it refuses to begin with. */
function byReference({ secrets, headers, body, now }: WebhookVector): boolean {
  mock.timers.enable({ apis: ['Date'], now: now * 1_000 })
  try {
    return secrets.some((secret) => {
      try {
        const webhook = secret.startsWith('whsec_')
          ? new Webhook(secret)
          : new Webhook(Buffer.from(secret), { format: 'raw' })
        webhook.verify(body, headers, { jsonParse: false })
        return true
      } catch {
        return false
      }
    })
  } finally {
    mock.timers.reset()
  }
}

/** As its door hands requests on: Node writes the names of headers small. */
function byReceiver({ secrets, headers, body, now }: WebhookVector): boolean {
  const named = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  return secrets.some((secret) => verifySignature(named, Buffer.from(body), secret, now * 1_000) === 'valid')
}

/** As its form hands them on: without a secret it asks for one. */
function byDebugger({ secrets, headers, body, now }: WebhookVector): boolean {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  const given = secrets.filter((secret) => secret !== '')
  const pasted = { headers: lines.join('\n'), body, secrets: given, computed: null, asSent: false }
  return explainSignature(pasted, new Date(now * 1_000)).verdict === 'valid'
}
