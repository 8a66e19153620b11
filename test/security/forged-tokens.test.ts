import assert from 'node:assert/strict'
import { createHmac, createPublicKey, webcrypto } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { after, test } from 'node:test'
import { decodeJwt, decodeProtectedHeader, type JWTPayload, SignJWT } from 'jose'
import { KEY_PARAMETERS, signJwt } from '../../src/platform/jwt.ts'
import { ask } from '../harness/answer.ts'
import { encodePart, signerOf } from '../harness/signing.ts'
import { startTokenScene } from '../harness/token-scene.ts'

const scene = await startTokenScene()
after(scene.service.stop)

let fetched = 0
const canary = createServer((_, response) => {
  fetched += 1
  response.end('{"keys":[]}')
}).listen(0, '127.0.0.1')
await once(canary, 'listening')
after(() => void canary.close())
const address = canary.address()
const canaryUrl = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/jwks.json`

const application = await scene.application()
const good = await scene.exchange(application, await scene.code(application))
const accessToken = String(good.body['access_token'])
const header = decodeProtectedHeader(accessToken)
const claims = decodeJwt(accessToken)
const signer = await signerOf(scene.service, 'ES256')
const [head = '', payload = '', signature = ''] = accessToken.split('.')
const jwks = await ask(`${scene.url}/oidc/.well-known/jwks.json`)

/** Signed by our real key, so that only what is said of it can be wrong. */
const ours = (changes: JWTPayload, type: 'JWT' | 'at+jwt' = 'at+jwt') =>
  signJwt(signer, type, { ...claims, ...changes })

const stranger = await webcrypto.subtle.generateKey(KEY_PARAMETERS.ES256, true, ['sign', 'verify'])
assert.ok('privateKey' in stranger)
const strangersKey = stranger.privateKey
const strangersJwk = await webcrypto.subtle.exportKey('jwk', stranger.publicKey)
/** Signed by a stranger's key, with a header that says where to find it. */
const strangers = (more: object) =>
  new SignJWT(claims).setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', ...more }).sign(strangersKey)

function hs256(secret: Buffer | string, kid: string | undefined): string {
  const signed = `${encodePart({ alg: 'HS256', typ: 'at+jwt', kid })}.${payload}`
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`
}

function publishedKeys(): Array<Record<string, string>> {
  const { keys } = jwks.body
  assert.ok(Array.isArray(keys) && keys.length === 3)
  return keys
}

const now = Math.floor(Date.now() / 1_000)
const forged: Array<[string, () => string | Promise<string>]> = [
  ['alg none', () => `${encodePart({ ...header, alg: 'none' })}.${payload}.`],
  ['alg None with the old signature', () => `${encodePart({ ...header, alg: 'None' })}.${payload}.${signature}`],
  ['alg none without a kid', () => `${encodePart({ alg: 'none', typ: 'at+jwt' })}.${payload}.`],
  ['a stripped signature', () => `${head}.${payload}.`],
  ['no third part', () => `${head}.${payload}`],
  ['a signature of zeros', () => `${head}.${payload}.${Buffer.alloc(64).toString('base64url')}`],
  ['a signature of another token', async () => `${head}.${payload}.${(await ours({ sub: 'x' })).split('.')[2]}`],
  ['another payload under the signature', () => `${head}.${encodePart({ ...claims, sub: 'x' })}.${signature}`],
  ['an alg that is not the key’s', () => `${encodePart({ ...header, alg: 'RS256' })}.${payload}.${signature}`],
  ['an unknown kid', () => `${encodePart({ ...header, kid: 'unknown' })}.${payload}.${signature}`],
  ['no kid', () => `${encodePart({ alg: 'ES256', typ: 'at+jwt' })}.${payload}.${signature}`],
  ['a kid that is a path', () => hs256('', '../../../../../../dev/null')],
  ['a kid that is SQL', () => hs256('x', "' union select 'x' -- ")],
  ['a kid of 10 KB', () => `${encodePart({ ...header, kid: 'k'.repeat(10_240) })}.${payload}.${signature}`],
  ['a kid that is no string', () => `${encodePart({ ...header, kid: { $ne: null } })}.${payload}.${signature}`],
  ['a stranger’s key behind our kid', () => strangers({ kid: header.kid })],
  ['a stranger’s key by jku', () => strangers({ kid: header.kid, jku: canaryUrl })],
  ['a stranger’s key by jku and an unknown kid', () => strangers({ kid: 'unknown', jku: canaryUrl })],
  ['a stranger’s key by x5u', () => strangers({ kid: header.kid, x5u: canaryUrl })],
  ['a stranger’s key by jwk', () => strangers({ jwk: strangersJwk })],
  ['a stranger’s key by jwk and our kid', () => strangers({ kid: header.kid, jwk: strangersJwk })],
  ['an unknown critical header', () => `${encodePart({ ...header, crit: ['x'], x: 1 })}.${payload}.${signature}`],
  ['another issuer', () => ours({ iss: 'https://elsewhere.example/oidc' })],
  ['our issuer with a slash', () => ours({ iss: `${claims.iss}/` })],
  ['the type of an ID token', () => ours({}, 'JWT')],
  ['an ID token', () => String(good.body['id_token'])],
  ['expired by one second', () => ours({ exp: now - 1 })],
  ['expired at this second', () => ours({ exp: Math.floor(Date.now() / 1_000) })],
  ['not valid before an hour from now', () => ours({ nbf: now + 3_600 })],
  ['an exp that is no number', () => signJwt(signer, 'at+jwt', { ...claims, exp: 'never' })],
  ['an application that does not exist', () => ours({ client_id: 'app_unknown' })],
  ...['sub', 'aud', 'exp', 'iat', 'jti', 'client_id', 'scope', 'iss'].map((name): [string, () => Promise<string>] => [
    `no ${name}`,
    () => signJwt(signer, 'at+jwt', Object.fromEntries(Object.entries(claims).filter(([key]) => key !== name))),
  ]),
  ['two dots', () => 'a.b.c'],
  ['parts that are not JSON', () => `${Buffer.from('not json').toString('base64url')}.${payload}.${signature}`],
  ['a payload that is not an object', () => signJwt(signer, 'at+jwt', [1])],
  ['five parts', () => 'a.b.c.d.e'],
]

for (const [name, forge] of forged) {
  test(`401 ${name}`, async () => {
    assertRefused(await scene.userinfo(await forge()))
  })
}

test('401 HS256 signed with each of our public keys, in every form that we or others write it', async () => {
  for (const jwk of publishedKeys()) {
    const key = createPublicKey({ key: jwk, format: 'jwk' })
    const forms: Array<Buffer | string> = [
      key.export({ type: 'spki', format: 'pem' }),
      key.export({ type: 'spki', format: 'pem' }).toString().trim(),
      key.export({ type: 'spki', format: 'der' }),
      JSON.stringify(jwk),
      ...[jwk['x'], jwk['n']].flatMap((member) => (member === undefined ? [] : [Buffer.from(member, 'base64url')])),
    ]
    for (const secret of forms) assertRefused(await scene.userinfo(hs256(secret, jwk['kid'])))
  }
})

test('200 the token that all of these were made from, and one that we sign again as it is', async () => {
  assert.equal((await scene.userinfo(accessToken)).status, 200)
  assert.equal((await scene.userinfo(await ours({}))).status, 200)
  assert.equal((await scene.userinfo(await ours({ exp: Math.floor(Date.now() / 1_000) + 10 }))).status, 200)
})

test('none of them made us fetch anything, and introspection calls them inactive', async () => {
  for (const [name, forge] of forged) {
    assert.deepEqual((await scene.introspect(application, await forge())).body, { active: false }, name)
  }
  assert.equal(fetched, 0)
  assert.equal((await ask(canaryUrl)).status, 200, 'the canary sings when it is asked')
})

function assertRefused(answer: Awaited<ReturnType<typeof ask>>): void {
  assert.equal(answer.status, 401, answer.text)
  assert.deepEqual(answer.body, {
    error: 'invalid_token',
    error_description: 'The access token is expired, revoked or not valid.',
  })
  assert.match(answer.headers.get('www-authenticate') ?? '', /^Bearer realm="handover", error="invalid_token"/)
}
