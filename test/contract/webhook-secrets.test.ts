import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import { type Api, assertFaults, webhookIn } from '../harness/api-client.ts'
import { startApiScene, USER_HOOK } from '../harness/api-scene.ts'

const scene = await startApiScene()
after(scene.service.stop)
const application = await scene.integrator()
const api = await scene.appApi(application)
const [webhook = ''] = await scene.webhooks({ application }, 'user', 1)

/** The rules are the same when a webhook is made and when it is changed. */
const WAYS: Record<string, (secrets: unknown, by?: Api) => ReturnType<Api['post']>> = {
  'on create': (secrets, by = api) => by.post('/webhooks/user', { ...USER_HOOK, secrets }),
  'on update': (secrets, by = api) => by.patch(`/webhooks/user/${webhook}`, { secrets }),
}

const whsec = (bytes: number) => `whsec_${randomBytes(bytes).toString('base64')}`

const taken: Array<[string, string[]]> = [
  ['one', ['a']],
  ['two, in their order', ['b', 'a']],
  ['256 characters', ['x'.repeat(256)]],
  ['256 characters that need two units each', ['😀'.repeat(256)]],
  ['anything that is text', ['\u00e4 \n"\\', ' ']],
  ['whsec_ with 16 bytes', [whsec(16)]],
  ['whsec_ with 24 bytes and with 32', [whsec(24), whsec(32)]],
  ['something that only looks like whsec_', ['WHSEC_x', ' whsec_x']],
]
const refused: Array<[string, unknown[], ...string[]]> = [
  ['three', ['a', 'b', 'c'], '/secrets too_many'],
  ['an empty one', [''], '/secrets/0 too_short'],
  ['257 characters', ['ok', 'x'.repeat(257)], '/secrets/1 too_long'],
  ['257 characters that need two units each', ['😀'.repeat(257)], '/secrets/0 too_long'],
  ['one letter under thousands of accents', [`e${'\u0301'.repeat(10_000)}`], '/secrets/0 too_long'],
  ['the same twice', ['a', 'a'], '/secrets/1 duplicate'],
  ['what is not text', ['a', 1], '/secrets/1 wrong_type'],
  ['null among them', [null], '/secrets/0 wrong_type'],
  ['whsec_ and nothing', ['whsec_'], '/secrets/0 malformed_secret'],
  ['whsec_ with 15 bytes', [whsec(15)], '/secrets/0 malformed_secret'],
  ['whsec_ with what is not base64', ['whsec_!!!!!!!!!!!!!!!!!!!!!!!!'], '/secrets/0 malformed_secret'],
  [
    'whsec_ in the alphabet of URLs',
    [`whsec_${Buffer.alloc(18, 0xff).toString('base64url')}`],
    '/secrets/0 malformed_secret',
  ],
  ['whsec_ without its padding', [whsec(32).replace(/=+$/, '')], '/secrets/0 malformed_secret'],
  ['whsec_ with too much padding', [`${whsec(18)}==`], '/secrets/0 malformed_secret'],
  ['whsec_ with a line break in it', [`${whsec(18)}\n`], '/secrets/0 malformed_secret'],
  ['whsec_ with bits left over', [`whsec_${'A'.repeat(42)}B=`], '/secrets/0 malformed_secret'],
  ['two that are wrong by different rules', ['whsec_x', ''], '/secrets/0 malformed_secret', '/secrets/1 too_short'],
  ['two that are wrong', ['whsec_x', 'whsec_y'], '/secrets/0 malformed_secret', '/secrets/1 malformed_secret'],
]
for (const [way, send] of Object.entries(WAYS)) {
  for (const [what, secrets] of taken) {
    test(`${way}, ${what}: kept as they are`, async () => {
      const answer = await send(secrets)
      assert.deepEqual(webhookIn(answer, answer.status).secrets, secrets)
    })
  }
  for (const [what, secrets, ...faults] of refused) {
    test(`422 ${way} for ${what}, and no secret is quoted`, async () => {
      const answer = await send(secrets)
      assertFaults(answer, ...faults)
      for (const secret of secrets)
        if (typeof secret === 'string' && secret.length > 10) assert.ok(!answer.text.includes(secret.slice(6)))
    })
  }
}

test('generated ones are whsec_ with 32 random bytes, and all different', async () => {
  const made = await Promise.all(
    Array.from({ length: 10 }, async () => webhookIn(await api.post('/webhooks/user', USER_HOOK), 201).secrets),
  )
  assert.equal(new Set(made.flat()).size, 10)
  for (const secret of made.flat()) assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
})
