import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { ask, postForm, textOf } from '../harness/answer.ts'
import { PRODUCTION, startTokenScene } from '../harness/token-scene.ts'

const scene = await startTokenScene()
after(scene.service.stop)
const { db } = scene
const url = `${scene.url}/oidc/userinfo`
const application = await scene.application({ clientCredentials: true })
const accessFor = async (more: Parameters<typeof scene.code>[1]) =>
  textOf(await scene.exchange(application, await scene.code(application, more)), 'access_token')

const ALL = ['openid', 'profile', 'email', 'phone', 'address', 'role']

test('200 with every scope: all the claims of the contract', async () => {
  await db`update users set picture = 'https://cdn.example/nurse.png' where id = ${scene.nurse.id}`
  const answer = await scene.userinfo(await accessFor({ scope: ALL }))
  assert.equal(answer.status, 200)
  assert.match(answer.headers.get('content-type') ?? '', /^application\/json/)
  assert.equal(answer.headers.get('cache-control'), 'no-store')
  assert.deepEqual(answer.body, {
    sub: scene.nurse.id,
    name: 'Demo Nurse',
    nickname: 'Nurse',
    picture: 'https://cdn.example/nurse.png',
    email: 'nurse@example.com',
    email_verified: true,
    phone_number: '+15550100001',
    phone_number_verified: true,
    address: { city: 'Portland', state: 'OR', locality: 'Portland', region: 'OR' },
    role: 'NURSE_USER',
  })
})

const opened: Array<[string, string[]]> = [
  ['openid', []],
  ['openid profile', ['name', 'nickname', 'picture']],
  ['openid name', ['name']],
  ['openid email', ['email', 'email_verified']],
  ['openid phone', ['phone_number', 'phone_number_verified']],
  ['openid address', ['address']],
  ['openid role', ['role']],
  ['openid offline_access', []],
]
for (const [scope, claims] of opened) {
  test(`200 with ${scope}: sub${claims.map((claim) => `, ${claim}`).join('')}`, async () => {
    const answer = await scene.userinfo(await accessFor({ scope: scope.split(' ') }))
    assert.deepEqual(Object.keys(answer.body).toSorted(), ['sub', ...claims].toSorted())
  })
}

test('200 leaves out what is not known of a person', async () => {
  const [facility] = await db<[{ id: string }]>`
    update users set phone_number = null, city = null, state = null where username = 'facility' returning id`
  const answer = await scene.userinfo(await accessFor({ scope: ALL, userId: facility.id }))
  assert.deepEqual(Object.keys(answer.body).toSorted(), ['email', 'email_verified', 'name', 'nickname', 'role', 'sub'])
})

test('200 with a token that has an API audience: the same token works at both', async () => {
  const token = await accessFor({ audience: PRODUCTION, scope: ['openid', 'marketplace:read'] })
  assert.equal((await scene.userinfo(token)).status, 200)
})

test('200 by POST, with the token in the header or in the form (OpenID Core 5.3.1)', async () => {
  const token = await accessFor({ scope: ['openid'] })
  assert.equal((await postForm(url, { access_token: token })).status, 200)
  assert.equal((await postForm(url, {}, { authorization: `Bearer ${token}` })).status, 200)
  assert.equal((await ask(url, { method: 'POST', headers: { authorization: `Bearer ${token}` } })).status, 200)
})

test('200 with the scheme in any case', async () => {
  const token = await accessFor({ scope: ['openid'] })
  for (const scheme of ['bearer', 'BEARER']) {
    assert.equal((await ask(url, { headers: { authorization: `${scheme} ${token}` } })).status, 200)
  }
})

test('401 without a token: told how, without an error code (RFC 6750 3.1)', async () => {
  const token = await accessFor({ scope: ['openid'] })
  for (const init of [{}, { headers: { authorization: `Basic ${token}` } }, { headers: { authorization: token } }]) {
    const answer = await ask(url, init)
    assert.equal(answer.status, 401)
    assert.equal(answer.headers.get('www-authenticate'), 'Bearer realm="handover"')
  }
  assert.equal((await ask(`${url}?access_token=${token}`)).status, 401, 'a token in the URL is not looked at')
})

test('403 insufficient_scope with an application’s own token, and with one without openid', async () => {
  const machine = await scene.token(application, { grant_type: 'client_credentials', audience: PRODUCTION })
  for (const token of [textOf(machine, 'access_token'), await accessFor({ scope: ['email'] })]) {
    const answer = await scene.userinfo(token)
    assert.equal(answer.status, 403)
    assert.equal(answer.body['error'], 'insufficient_scope')
    assert.match(answer.headers.get('www-authenticate') ?? '', /error="insufficient_scope", scope="openid"/)
  }
})

test('401 invalid_token when the person was blocked or is gone', async () => {
  const people = await db<
    Array<{ id: string }>
  >`select id from users where email in ('nurse2@example.com', 'facility2@example.com')`
  const tokens = await Promise.all(people.map(({ id }) => accessFor({ userId: id, scope: ['openid'] })))
  await db`update users set blocked_at = now() where id = ${people[0]?.id ?? ''}`
  await db`delete from users where id = ${people[1]?.id ?? ''}`
  for (const token of tokens) {
    const answer = await scene.userinfo(token)
    assert.equal(answer.status, 401)
    assert.equal(answer.body['error'], 'invalid_token')
  }
})

test('405 with Allow for another method', async () => {
  const answer = await ask(url, { method: 'DELETE' })
  assert.equal(answer.status, 405)
  assert.match(answer.headers.get('allow') ?? '', /\bGET\b.*\bPOST\b/)
})

test('CORS: a registered origin may read the answer and its refusals', async () => {
  const origin = 'https://userinfo-spa.example'
  await scene.application({ webOrigins: [origin] })
  const refused = await ask(url, { headers: { origin } })
  assert.equal(refused.headers.get('access-control-allow-origin'), origin)
  assert.match(refused.headers.get('access-control-expose-headers') ?? '', /www-authenticate/)
  const stranger = await ask(url, { headers: { origin: 'https://evil.example' } })
  assert.equal(stranger.headers.get('access-control-allow-origin'), null)
})
