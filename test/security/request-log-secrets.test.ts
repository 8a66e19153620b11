import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { ask, formOf, textOf } from '../harness/answer.ts'
import { CALLBACK, startAuthorizeScene } from '../harness/authorize-scene.ts'
import { loggedRequest } from '../harness/request-rows.ts'
import { SANDBOX } from '../harness/token-scene.ts'

const scene = await startAuthorizeScene()
after(scene.service.stop)
const { db, url } = scene
const app = await scene.client({ clientCredentials: true, passwordGrant: true })
const open = await scene.client({ type: 'spa' })

const CANARY = 'canary7f3a'
/** Every parameter that there is, each with a value that nobody may ever read again. */
const PARAMETERS = `
  client_secret code code_verifier refresh_token username password scope audience token
  token_type_hint response_type response_mode state nonce prompt max_age login_hint id_token_hint
  code_challenge code_challenge_method request request_uri ui_locales display screen_hint logout_hint
  access_token client_assertion unheard_of`
  .trim()
  .split(/\s+/)
const FILLED = Object.fromEntries(PARAMETERS.map((name) => [name, `${CANARY}-${name}`]))
const URIS = [
  `https://me:${CANARY}@client.example/callback`,
  `${CALLBACK}?code=${CANARY}&${CANARY}`,
  `${CALLBACK}#access_token=${CANARY}`,
]
const HEADERS = { cookie: `handover-session=${CANARY}`, 'user-agent': CANARY, referer: `https://${CANARY}.example/` }

const GRANTS = ['authorization_code', 'password', 'refresh_token', 'client_credentials', CANARY]

const post = (path: string, fields: Record<string, string | null>, headers: Record<string, string> = {}) =>
  ask(url + path, { method: 'POST', body: formOf(fields), headers: { ...HEADERS, ...headers } })

test('no parameter, header, body or path that was sent can be read in the request log', async () => {
  const basic = { authorization: `Basic ${Buffer.from(`${app.id}:${CANARY}`).toString('base64')}` }
  for (const grant_type of GRANTS) {
    for (const { id, secret } of [app, open]) {
      const own = { ...FILLED, client_id: id, grant_type }
      await post('/oidc/oauth/token', { ...own, redirect_uri: URIS[0] ?? '' })
      for (const redirect_uri of URIS) await post('/oidc/oauth/token', { ...own, redirect_uri, client_secret: secret })
      await post('/oidc/oauth/token', { ...own, client_secret: secret, audience: SANDBOX, redirect_uri: null })
    }
    await post('/oidc/oauth/token', { ...FILLED, client_secret: null, grant_type }, basic)
    await post(`/oidc/oauth/token?${formOf(FILLED).toString()}`, { ...FILLED, client_id: app.id, grant_type })
  }
  for (const path of ['/oidc/oauth/revoke', '/oidc/oauth/introspect', '/oidc/userinfo']) {
    await post(path, { ...FILLED, client_id: app.id })
    await post(path, { ...FILLED, client_id: app.id, client_secret: app.secret })
  }
  for (const redirect_uri of [...URIS, CALLBACK]) {
    for (const response_type of ['code', FILLED['response_type'] ?? '']) {
      const query = formOf({ ...FILLED, client_id: app.id, redirect_uri, response_type })
      await ask(`${url}/oidc/authorize?${query.toString()}`, { headers: HEADERS })
      const bare = formOf({ client_id: app.id, redirect_uri, response_type, state: CANARY, audience: CANARY })
      await ask(`${url}/oidc/authorize?${bare.toString()}`, { headers: HEADERS })
    }
    const logout = formOf({ ...FILLED, client_id: app.id, post_logout_redirect_uri: redirect_uri })
    await ask(`${url}/oidc/logout?${logout.toString()}`, { headers: HEADERS })
  }
  const token = textOf(
    await post('/oidc/oauth/token', {
      grant_type: 'client_credentials',
      audience: SANDBOX,
      client_id: app.id,
      client_secret: app.secret,
    }),
    'access_token',
  )
  const bearer = { ...HEADERS, authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const paths = [
    '/webhooks/facility',
    `/webhooks/facility/${CANARY}`,
    `/webhooks/user?cursor=${CANARY}`,
    '/sandbox/events',
  ]
  const fields = {
    url: `https://${CANARY}.example/?${CANARY}`,
    events: [CANARY],
    secrets: [CANARY],
    facilities: [CANARY],
  }
  for (const path of paths) {
    for (const method of ['GET', 'POST', 'PATCH', 'DELETE']) {
      const body = method === 'GET' ? {} : { body: JSON.stringify(fields) }
      const headers = { ...bearer, 'idempotency-key': CANARY }
      await ask(`${url}/api/v2/public${path}`, { method, headers, ...body })
    }
  }
  const forged = await ask(`${url}/oidc/userinfo`, {
    headers: { ...HEADERS, authorization: `Bearer ${token}${CANARY}` },
  })
  await loggedRequest(db, forged)

  const rows = await db<Array<{ row: string; path: string }>>`
    select request_log::text as row, path from request_log where application_id in (${app.id}, ${open.id})`
  assert.ok(rows.length > 60, `${rows.length} rows`)
  assert.ok(new Set(rows.map(({ path }) => path)).size >= 8)
  const secrets = [CANARY, token, app.secret ?? '', Buffer.from(CANARY).toString('base64').slice(0, 12)]
  for (const { row } of rows) for (const secret of secrets) assert.ok(!row.includes(secret), row)
})

test('a hint names the application only when it is ours, and its claims are not kept', async () => {
  const foreign = [{ alg: 'none' }, { iss: 'x', aud: app.id, sub: CANARY, sid: CANARY }]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')
  const jwt = `${foreign}.${Buffer.from('x').toString('base64url')}`
  const row = await loggedRequest(db, await scene.userinfo(jwt))
  assert.equal(row.reason, 'The access token was not issued by this server.')
  assert.doesNotMatch(JSON.stringify(row), new RegExp(CANARY))
})
