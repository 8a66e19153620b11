import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { signedHeaders } from './signature.ts'

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const EVENT = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', body: '{"test": 2432232314}' }
const NOW = new Date(1_614_265_330_000)

const signatureOf = (event: { id: string; body: string }, secrets: string[], now = NOW) =>
  signedHeaders(event, secrets, now)['webhook-signature']

describe('Standard Webhooks (decision D3)', () => {
  test('the published vector', () => {
    assert.deepEqual(signedHeaders(EVENT, [SECRET], NOW), {
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    })
  })

  test('a second is a second until it is over', () => {
    for (const [milliseconds, seconds] of [
      [1_614_265_330_999, '1614265330'],
      [1_614_265_331_000, '1614265331'],
    ] as const)
      assert.equal(signedHeaders(EVENT, [SECRET], new Date(milliseconds))['webhook-timestamp'], seconds)
  })

  test('one signature for each secret, in order', () => {
    const [one, other] = [SECRET, 'plain'].map((secret) => signatureOf(EVENT, [secret]))
    assert.equal(signatureOf(EVENT, [SECRET, 'plain']), `${one} ${other}`)
    assert.equal(signatureOf(EVENT, ['plain', SECRET]), `${other} ${one}`)
  })

  for (const [what, body] of [
    ['letters of all kinds', '{"a":"Zoë 看護師 👩‍⚕️ \u2028<>&"}'],
    ['an empty body', ''],
    ['a large body', JSON.stringify('é'.repeat(60_000))],
  ] as const)
    test(`the reference library signs the same: ${what}`, () => {
      const event = { id: 'evt_1', body }
      assert.equal(signatureOf(event, [SECRET]), new Webhook(SECRET).sign(event.id, NOW, body))
      const plain = 'sécret, 密'
      const raw = new Webhook(Buffer.from(plain), { format: 'raw' })
      assert.equal(signatureOf(event, [plain]), raw.sign(event.id, NOW, body))
    })

  for (const [what, secret, same] of [
    ['base64 without the prefix is a text like any other', SECRET.slice(6), false],
    ['the prefix is read as it is written', SECRET.replace('whsec_', 'WHSEC_'), false],
    ['a space counts', `${SECRET.slice(6)} `, false],
    ['the same secret', SECRET, true],
  ] as const)
    test(what, () => assert.equal(signatureOf(EVENT, [secret]) === signatureOf(EVENT, [SECRET]), same))

  test('bytes and text sign alike', () => {
    const { 'webhook-signature': text } = signedHeaders(EVENT, [SECRET], NOW)
    const { 'webhook-signature': bytes } = signedHeaders({ ...EVENT, body: Buffer.from(EVENT.body) }, [SECRET], NOW)
    assert.equal(text, bytes)
  })
})
