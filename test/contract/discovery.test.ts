import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { ask, postForm } from '../harness/answer.ts'
import { startTokenScene } from '../harness/token-scene.ts'

const scene = await startTokenScene()
after(scene.service.stop)
const url = `${scene.url}/oidc/.well-known/openid-configuration`
const discovered = await ask(url)
const list = (name: string): string[] => {
  const value = discovered.body[name]
  assert.ok(Array.isArray(value), `${name} is a list`)
  return value.map(String)
}

test('200 with every member that OpenID Connect Discovery 3 requires', () => {
  assert.equal(discovered.status, 200)
  assert.match(discovered.headers.get('content-type') ?? '', /^application\/json/)
  for (const name of ['issuer', 'authorization_endpoint', 'token_endpoint', 'jwks_uri', 'userinfo_endpoint']) {
    assert.equal(typeof discovered.body[name], 'string', name)
  }
  for (const name of [
    'response_types_supported',
    'subject_types_supported',
    'id_token_signing_alg_values_supported',
    'scopes_supported',
    'claims_supported',
    'grant_types_supported',
  ]) {
    assert.ok(list(name).length > 0, name)
  }
  assert.ok(list('id_token_signing_alg_values_supported').includes('RS256'), 'Discovery 3: RS256 MUST be included')
})

test('the issuer is the address that the document hangs under (Discovery 4.3)', () => {
  assert.equal(discovered.body['issuer'], `${scene.url}/oidc`)
  assert.equal(`${discovered.body['issuer']}/.well-known/openid-configuration`, url)
})

test('every URL in it is under the issuer and answers', async () => {
  const urls = Object.entries(discovered.body).filter(([name]) => /_(endpoint|uri)$/.test(name))
  assert.ok(urls.length >= 6)
  for (const [name, value] of urls) {
    const address = String(value)
    assert.ok(address.startsWith(`${scene.url}/oidc/`), name)
    const statuses = [(await ask(address)).status, (await postForm(address, {})).status]
    assert.ok(
      statuses.some((status) => status !== 404 && status !== 405 && status < 500),
      `${name}: ${statuses.join()}`,
    )
  }
})

test('every grant type that it names is known at the token endpoint', async () => {
  // `implicit` gives its tokens at the authorization endpoint.
  const grantTypes = list('grant_types_supported').filter((each) => each !== 'implicit')
  assert.deepEqual(grantTypes.toSorted(), ['authorization_code', 'client_credentials', 'password', 'refresh_token'])
  const application = await scene.application({ passwordGrant: true, clientCredentials: true })
  for (const grantType of grantTypes) {
    const answer = await scene.token(application, { grant_type: grantType })
    assert.equal(answer.body['error'], 'invalid_request', 'it only misses its parameters')
  }
})

test('every way to authenticate that it names works', async () => {
  assert.deepEqual(list('token_endpoint_auth_methods_supported').toSorted(), [
    'client_secret_basic',
    'client_secret_post',
    'none',
  ])
  assert.deepEqual(list('introspection_endpoint_auth_methods_supported').toSorted(), [
    'client_secret_basic',
    'client_secret_post',
  ])
  const closed = await scene.application()
  const open = await scene.application({ type: 'spa' })
  const basic = `Basic ${Buffer.from(`${closed.id}:${closed.secret}`).toString('base64')}`
  for (const [name, path] of [
    ['token_endpoint', 'token'],
    ['revocation_endpoint', 'revoke'],
    ['introspection_endpoint', 'introspect'],
  ] as const) {
    const address = String(discovered.body[name])
    assert.ok(address.endsWith(`/oauth/${path}`))
    const fields = { grant_type: 'refresh_token', refresh_token: 'x', token: 'x' }
    const post = await postForm(address, { ...fields, client_id: closed.id, client_secret: closed.secret })
    const header = await postForm(address, fields, { authorization: basic })
    for (const answer of [post, header]) assert.ok([200, 400].includes(answer.status), answer.text)
    const none = await postForm(address, { ...fields, client_id: open.id })
    assert.equal(none.status === 401, name === 'introspection_endpoint', `${name} none: ${none.text}`)
  }
})

test('every algorithm that it names signs ID tokens, and a key for it is published', async () => {
  const jwks = await ask(String(discovered.body['jwks_uri']))
  const { keys } = jwks.body
  assert.ok(Array.isArray(keys))
  for (const algorithm of list('id_token_signing_alg_values_supported')) {
    assert.ok(keys.some((key) => key.alg === algorithm))
  }
})

test('every scope that it names can be granted', async () => {
  const application = await scene.application({ passwordGrant: true })
  const scopes = list('scopes_supported')
  const answer = await scene.token(application, {
    grant_type: 'password',
    username: 'nurse',
    password: scene.password,
    audience: 'urn:handover:api:sandbox',
    scope: scopes.join(' '),
  })
  assert.deepEqual(String(answer.body['scope']).split(' '), scopes)
})

test('PKCE is S256 only, and no request objects', () => {
  assert.deepEqual(discovered.body['code_challenge_methods_supported'], ['S256'])
  assert.equal(discovered.body['request_parameter_supported'], false)
  assert.equal(discovered.body['request_uri_parameter_supported'], false, 'true would be the default')
})

test('304 by its ETag; kept for an hour, by any origin', async () => {
  const etag = discovered.headers.get('etag') ?? ''
  assert.match(etag, /^"[A-Za-z0-9_-]+"$/)
  assert.equal(discovered.headers.get('cache-control'), 'public, max-age=3600')
  assert.equal(discovered.headers.get('access-control-allow-origin'), '*')
  for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
    const again = await ask(url, { headers: { 'if-none-match': known } })
    assert.equal(again.status, 304, known)
    assert.equal(again.text, '')
    assert.equal(again.headers.get('etag'), etag)
    assert.equal(again.headers.get('cache-control'), 'public, max-age=3600')
  }
  assert.equal((await ask(url, { headers: { 'if-none-match': '"other"' } })).status, 200)
})

test('405 for anything but GET', async () => {
  for (const method of ['POST', 'PUT', 'DELETE']) {
    const answer = await ask(url, { method })
    assert.equal(answer.status, 405)
    assert.equal(answer.headers.get('allow'), 'GET, HEAD')
  }
})
