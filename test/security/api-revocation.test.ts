import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { readSigningKeys, removeKey, rotateKeys } from '../../src/domain/keys/signing-key-store.ts'
import { revokePerson } from '../../src/domain/tokens/revocation-store.ts'
import { postForm } from '../harness/answer.ts'
import { assertProblem } from '../harness/api-client.ts'
import { startApiScene, USER_HOOK } from '../harness/api-scene.ts'
import { startSecondProcess } from '../harness/second-process.ts'
import { soonHeard } from '../harness/soon.ts'
import type { TestApplication } from '../harness/token-scene.ts'

const scene = await startApiScene()
const second = await startSecondProcess(scene.service)
after(async () => {
  await second.stop()
  await scene.service.stop()
})
const { db } = scene
const everywhere = [scene.url, second.url]

type Case = { application: TestApplication; person: string; token: string }

/** A token that every process has verified, and keeps as verified. */
async function wellKnown(whose: 'person' | 'application'): Promise<Case> {
  const application = await scene.integrator()
  const person = await scene.person()
  const token = whose === 'person' ? await scene.personToken(application, person) : await scene.appToken(application)
  for (const url of [...everywhere, ...everywhere])
    assert.equal((await scene.api(token, url).get('/webhooks/user')).status, 200)
  return { application, person, token }
}

async function assertRefusedEverywhere(token: string, status: number, code: string): Promise<void> {
  const refused = (url: string) =>
    soonHeard(db, async () => (await scene.api(token, url).get('/webhooks/user')).status === status)
  assert.deepEqual(await Promise.all(everywhere.map(refused)), [true, true])
  for (const url of everywhere) {
    assertProblem(await scene.api(token, url).get('/webhooks/user'), status, code)
    assert.equal((await scene.api(token, url).post('/webhooks/user', USER_HOOK)).status, status)
  }
}

const changes: Array<[string, (made: Case) => Promise<unknown>, number, string]> = [
  [
    'a suspended application',
    ({ application }) => db`update applications set suspended_at = now() where id = ${application.id}`,
    401,
    'invalid_token',
  ],
  [
    'a deleted application',
    ({ application }) => db`update applications set deleted_at = now() where id = ${application.id}`,
    401,
    'invalid_token',
  ],
  [
    'an application that is gone altogether',
    ({ application }) => db`delete from applications where id = ${application.id}`,
    401,
    'invalid_token',
  ],
  [
    'scopes that support took away',
    ({ application }) => db`update applications set api_scopes = '{}' where id = ${application.id}`,
    403,
    'insufficient_scope',
  ],
  [
    'an environment that support took away',
    ({ application }) => db`update applications set environments = '{sandbox}' where id = ${application.id}`,
    403,
    'environment_not_allowed',
  ],
  [
    'a revoked token',
    ({ application, token }) =>
      postForm(`${scene.url}/oidc/oauth/revoke`, {
        client_id: application.id,
        client_secret: application.secret,
        token,
      }),
    401,
    'invalid_token',
  ],
]
for (const [what, change, status, code] of changes) {
  for (const whose of ['person', 'application'] as const) {
    test(`${status} for ${what}, at every process within a second, with a token of the ${whose}`, async () => {
      const made = await wellKnown(whose)
      const other = await wellKnown(whose)
      await change(made)
      await assertRefusedEverywhere(made.token, status, code)
      for (const url of everywhere)
        assert.equal((await scene.api(other.token, url).get('/webhooks/user')).status, 200, 'nobody else is touched')
    })
  }
}

test('401 for a person whose access was revoked at one application: not at another, and not for the application itself', async () => {
  const { application, person, token } = await wellKnown('person')
  const own = await scene.appToken(application)
  const elsewhere = await scene.personToken(await scene.integrator(), person)
  await db.begin((tx) => revokePerson(tx, { userId: person, applicationId: application.id }, 'a test'))
  await assertRefusedEverywhere(token, 401, 'invalid_token')
  for (const good of [own, elsewhere])
    for (const url of everywhere) assert.equal((await scene.api(good, url).get('/webhooks/user')).status, 200)
})

test('200 again when a suspension ends, at every process within a second', async () => {
  const { application, token } = await wellKnown('application')
  await db`update applications set suspended_at = now() where id = ${application.id}`
  await assertRefusedEverywhere(token, 401, 'invalid_token')
  await db`update applications set suspended_at = null where id = ${application.id}`
  const again = (url: string) =>
    soonHeard(db, async () => (await scene.api(token, url).get('/webhooks/user')).status === 200)
  assert.deepEqual(await Promise.all(everywhere.map(again)), [true, true])
})

test('401 for tokens of a signing key that was removed, at every process within a second; those of the next key are good', async () => {
  const { application, token } = await wellKnown('application')
  const kid = JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()).kid
  const { cipher } = scene.service.deps
  await rotateKeys(db, cipher, 'now')
  await db`update signing_keys set signs_until = now() where kid = ${kid}`
  await db`update signing_keys set signs_from = now() where signs_from > now()`
  assert.equal(await removeKey(db, kid), 'removed')
  await assertRefusedEverywhere(token, 401, 'invalid_token')
  assert.ok((await readSigningKeys(db, cipher)).length > 0)
  const isGood = (url: string) =>
    soonHeard(db, async () => {
      const fresh = await scene.appToken(application, 'production', url)
      return (await scene.api(fresh, url).get('/webhooks/user')).status === 200
    })
  assert.deepEqual(await Promise.all(everywhere.map(isGood)), [true, true])
})
