import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { textOf } from '../harness/answer.ts'
import {
  arrivalOf,
  assertErrorArrives,
  CALLBACK,
  FACILITY,
  pathOf,
  startAuthorizeScene,
} from '../harness/authorize-scene.ts'
import { PRODUCTION, SANDBOX } from '../harness/token-scene.ts'
import { verifiedClaims } from '../harness/verified-claims.ts'

const scene = await startAuthorizeScene()
after(scene.service.stop)

test('asked once per person, application, scopes and audience; less is not asked again, more is', async () => {
  const application = await scene.client()
  const browser = await scene.signedIn()
  const asks = async (scope: string, audience: string | null = null) => {
    const page = await scene.visit(browser, application, { scope, audience })
    if (pathOf(page) !== '/oidc/consent') return !arrivalOf(page).fields['code']
    assert.ok(arrivalOf(await browser.send(page, { decision: 'allow' })).fields['code'])
    return true
  }
  assert.equal(await asks('openid email'), true)
  assert.equal(await asks('openid email'), false)
  assert.equal(await asks('openid'), false)
  assert.equal(await asks('openid phone'), true)
  assert.equal(await asks('openid email phone'), false, 'what was allowed adds up')
  assert.equal(await asks('openid', SANDBOX), true)
  assert.equal(await asks('openid', SANDBOX), false)
  assert.equal(await asks('openid', PRODUCTION), true)
  const somebodyElse = await scene.signedIn(FACILITY)
  assert.equal(pathOf(await scene.visit(somebodyElse, application)), '/oidc/consent')
})

test('the page says who asks, for what, where, and who is asked', async () => {
  const application = await scene.client({ name: 'Rota & <Co>', logoUrl: 'https://cdn.example/logo.png' })
  const browser = await scene.signedIn()
  const { text } = await scene.visit(browser, application, {
    scope: 'openid profile name email offline_access marketplace:write',
    audience: SANDBOX,
  })
  assert.ok(text.includes('<h1>Allow Rota &amp; &lt;Co&gt;?</h1>'))
  assert.ok(text.includes('src="https://cdn.example/logo.png"'))
  assert.ok(text.includes('<strong>Demo Nurse</strong> (nurse@example.com)'))
  for (const words of [
    'See your e-mail address',
    'See your name, nickname and picture',
    'Stay connected',
    'Change shifts',
  ])
    assert.ok(text.includes(words), words)
  assert.ok(!text.includes('<li>See your name</li>'), 'said once')
  assert.ok(text.includes('sandbox'))
  const real = await scene.visit(browser, application, { audience: PRODUCTION })
  assert.ok(real.text.includes('your real data'))
})

test('access_denied when the person does not allow it, and nothing is remembered', async () => {
  const application = await scene.client()
  const browser = await scene.signedIn()
  for (const [mode, decision] of [
    ['query', 'deny'],
    ['fragment', 'deny'],
    ['form_post', 'deny'],
    ['query', 'nonsense'],
    ['query', null],
  ] as const) {
    const page = await scene.visit(browser, application, { response_mode: mode })
    const { fields } = assertErrorArrives(scene, await browser.send(page, { decision }), 'access_denied', mode)
    assert.equal(fields['state'], 'st')
  }
  assert.equal(pathOf(await scene.visit(browser, application)), '/oidc/consent')
})

test('a first-party application does not ask, and is remembered all the same', async () => {
  const application = await scene.client({ firstParty: true })
  const browser = await scene.signedIn()
  assert.ok((await scene.arrive(browser, application, { scope: 'openid email' })).fields['code'])
  const rows = await scene.db`select scope from consents where application_id = ${application.id}`
  assert.deepEqual(rows[0]?.['scope'], ['openid', 'email'])
})

test('a native application with a loopback or private-use redirect asks every time (RFC 8252 8.6)', async () => {
  const redirects = ['http://127.0.0.1/cb', 'com.example.app:/cb', 'https://app.example/cb']
  const application = await scene.client({ type: 'native', redirectUris: redirects })
  const browser = await scene.signedIn()
  const pkce = { code_challenge: 'c'.repeat(43), code_challenge_method: 'S256' }
  for (const [uri, again] of [
    ['http://127.0.0.1:1234/cb', '/oidc/consent'],
    ['com.example.app:/cb', '/oidc/consent'],
    ['https://app.example/cb', ''],
  ] as const) {
    await scene.arrive(browser, application, { redirect_uri: uri, ...pkce })
    assert.equal(pathOf(await scene.visit(browser, application, { redirect_uri: uri, ...pkce })), again)
  }
  const silent = await scene.visit(browser, application, {
    redirect_uri: 'com.example.app:/cb',
    prompt: 'none',
    ...pkce,
  })
  assertErrorArrives(scene, silent, 'consent_required')
})

test('consent that was taken back is asked for again', async () => {
  const application = await scene.client()
  const browser = await scene.signedIn()
  await scene.arrive(browser, application)
  await scene.db`delete from consents where application_id = ${application.id}`
  assert.equal(pathOf(await scene.visit(browser, application)), '/oidc/consent')
})

test('tokens carry what was allowed to this request, not all that was ever allowed', async () => {
  const application = await scene.client()
  const browser = await scene.signedIn()
  await scene.arrive(browser, application, { scope: 'openid email phone' })
  const { fields } = await scene.arrive(browser, application, { scope: 'openid' })
  const answer = await scene.exchange(application, fields['code'] ?? '', { redirect_uri: CALLBACK })
  const { claims } = await verifiedClaims(textOf(answer, 'id_token'), scene.url)
  assert.equal(answer.body['scope'], 'openid')
  assert.equal(claims['email'], undefined)
})
