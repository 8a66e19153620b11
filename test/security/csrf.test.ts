import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { arrivalOf, FACILITY, NURSE, pathOf, startAuthorizeScene } from '../harness/authorize-scene.ts'
import { fingerprint } from '../harness/fingerprint.ts'
import { withRoutes } from '../harness/route-list.ts'
import { type FormFields, onlyForm, WebClient } from '../harness/web-client.ts'

const { started: scene, paths } = await withRoutes(startAuthorizeScene)
after(scene.service.stop)

/** Made for other people's forms and programs: a token of ours is not expected there. */
const NOT_OUR_FORMS = new Set([
  '/oidc/authorize',
  '/oidc/logout',
  '/oidc/userinfo',
  '/oidc/oauth/token',
  '/oidc/oauth/revoke',
  '/oidc/oauth/introspect',
])

const asked = await scene.client()
const ours = await postPaths()

/** Whatever a form of ours might want, so that only the token stands between a forged POST and its effect. */
const tempting: FormFields = {
  username: NURSE,
  login: NURSE,
  email: NURSE,
  password: scene.password,
  new_password: 'forged password',
  name: 'Forged',
  nickname: 'Forged',
  role: 'NURSE_USER',
  decision: 'allow',
  code: '123456',
  query: '',
}

test('there are forms of ours', () => {
  for (const path of ['/oidc/login', '/oidc/consent', '/oidc/select-account', '/oidc/logout/confirm'])
    assert.ok(ours.includes(path), `${path} in ${ours.join()}`)
})

for (const path of ours) {
  const url = scene.url + path.replaceAll(/:[A-Za-z]+/g, 'x')

  test(`403 and nothing changed: POST ${path}`, async () => {
    const { browser, fields } = await atConsent(NURSE)
    const csrf = String(fields['csrf'])
    const other = await atConsent(FACILITY)
    const beforeLogin = await tokenBeforeLogin(browser)
    const sameOrigin = { 'sec-fetch-site': 'same-origin', origin: scene.url }
    const forged: Array<[string, string | null, Record<string, string>]> = [
      ['no token', null, sameOrigin],
      ['an empty token', '', sameOrigin],
      ['nonsense', 'x'.repeat(csrf.length), sameOrigin],
      ['half a token', csrf.slice(0, -1), sameOrigin],
      ['another session’s token', String(other.fields['csrf']), sameOrigin],
      ['the token from before the login', beforeLogin, sameOrigin],
      ['cross-site with the right token', csrf, { 'sec-fetch-site': 'cross-site' }],
      ['same-site with the right token', csrf, { 'sec-fetch-site': 'same-site' }],
      ['from nowhere with the right token', csrf, { 'sec-fetch-site': 'none' }],
      ['another origin with the right token', csrf, { origin: 'https://evil.example' }],
      ['another port with the right token', csrf, { origin: 'http://localhost:1' }],
    ]
    const before = await fingerprint(scene.db)
    for (const [what, token, headers] of forged) {
      const answer = await browser.post(url, { ...tempting, ...fields, csrf: token }, headers)
      assert.equal(answer.status, 403, what)
      assert.ok(answer.text.includes('<code>form_expired</code>'), what)
      assert.deepEqual(answer.headers.getSetCookie(), [], what)
    }
    const stranger = await new WebClient().post(url, { ...tempting, ...fields }, sameOrigin)
    assert.equal(stranger.status, 403, 'the right token without its cookies')
    assert.deepEqual(await fingerprint(scene.db), before)
  })
}

test('login CSRF: a form of the attacker’s own browser signs nobody in elsewhere', async () => {
  const attacker = new WebClient()
  const { fields } = onlyForm(await scene.visit(attacker, asked))
  for (const victim of [new WebClient(), await scene.signedIn(FACILITY)]) {
    const session = victim.cookie(scene.url, 'handover-session')
    for (const headers of [{}, { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }]) {
      const sent = { ...fields, username: NURSE, password: scene.password }
      assert.equal((await victim.post(`${scene.url}/oidc/login`, sent, headers)).status, 403)
      assert.equal(victim.cookie(scene.url, 'handover-session'), session)
    }
  }
})

test('the token that the page brought is taken, with or without what newer browsers say of themselves', async () => {
  for (const headers of [
    { origin: 'null', 'sec-fetch-site': 'same-origin' },
    { origin: scene.url, 'sec-fetch-site': 'same-origin' },
    { origin: scene.url },
    {},
  ]) {
    const { browser, fields } = await atConsent(NURSE)
    const answer = await browser.post(`${scene.url}/oidc/consent`, { ...fields, decision: 'deny' }, headers)
    assert.equal(arrivalOf(answer).fields['error'], 'access_denied')
  }
})

test('a form in the address, or as JSON, is not a form', async () => {
  const { browser, fields } = await atConsent(NURSE)
  const before = await fingerprint(scene.db)
  const inQuery = new URLSearchParams({
    interaction: String(fields['interaction']),
    csrf: String(fields['csrf']),
    decision: 'allow',
  })
  assert.equal((await browser.post(`${scene.url}/oidc/consent?${inQuery.toString()}`, {})).status, 403)
  const asJson = await fetch(`${scene.url}/oidc/consent`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(fields),
  })
  assert.equal(asJson.status, 415)
  const asText = await fetch(`${scene.url}/oidc/consent`, {
    method: 'POST',
    headers: { 'content-type': 'text/plain' },
    body: inQuery.toString(),
  })
  assert.equal(asText.status, 415)
  assert.deepEqual(await fingerprint(scene.db), before)
})

/** Every path of ours that takes a POST; one that does not is answered 405. */
async function postPaths(): Promise<string[]> {
  const candidates = paths.filter((path) => path.startsWith('/oidc/') && !NOT_OUR_FORMS.has(path))
  const statuses = await Promise.all(
    candidates.map(
      async (path) => (await new WebClient().post(scene.url + path.replaceAll(/:[A-Za-z]+/g, 'x'), {})).status,
    ),
  )
  return candidates.filter((_, position) => statuses[position] !== 405)
}

/** Somebody who is signed in and asked for consent: their form has a token and an interaction that are good. */
async function atConsent(login: string): Promise<{ browser: WebClient; fields: FormFields }> {
  const browser = await scene.signedIn(login)
  const page = await scene.visit(browser, asked)
  assert.equal(pathOf(page), '/oidc/consent')
  return { browser, fields: onlyForm(page).fields }
}

async function tokenBeforeLogin(browser: WebClient): Promise<string> {
  const signedOut = browser.copy()
  signedOut.setCookie(scene.url, 'handover-session', '')
  const page = await scene.visit(signedOut, asked)
  assert.equal(pathOf(page), '/oidc/login')
  return String(onlyForm(page).fields['csrf'])
}
