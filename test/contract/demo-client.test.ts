import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { discover } from '../../src/app/demo/client/discovery.ts'
import { flowsOf } from '../../src/app/demo/client/flow.ts'
import { exchangeCode } from '../../src/app/demo/client/take-steps.ts'
import { newWalk } from '../../src/app/demo/client/walk.ts'
import { demoValues } from '../../src/app/demo/demo-values.ts'
import { pathOf } from '../harness/authorize-scene.ts'
import { startDeployed } from '../harness/deployed.ts'
import { startHandover } from '../harness/handover.ts'
import { unescapeHtml } from '../harness/page-forms.ts'
import { assertPageHeaders } from '../harness/page-headers.ts'
import { quietPort } from '../harness/quiet-port.ts'
import { snippetOf, Terminal } from '../harness/snippets.ts'
import { formsOf, type WebAnswer, WebClient } from '../harness/web-client.ts'

const service = await startHandover()
after(service.stop)
const { demo, url } = service
const HOME = `${url}/demo/client`

/** Presses the button of the form that goes there. */
async function press(browser: WebClient, page: WebAnswer, path: string, fields: Record<string, string> = {}) {
  const form = formsOf(page).find(({ action, fields: hidden }) => {
    const fits = Object.entries(fields).every(([name, value]) => hidden[name] === value)
    return new URL(action).pathname === path && fits
  })
  assert.ok(form, `no form to ${path} at ${page.url}: ${page.text}`)
  const answer = await browser.post(form.action, form.fields, { origin: 'null', 'sec-fetch-site': 'same-origin' })
  return browser.follow(answer)
}

const begin = async (browser: WebClient, flow: string) =>
  press(browser, await browser.open(HOME), '/demo/client/start', { flow })

/** The link to /authorize on the page. */
function wayToSignIn(page: WebAnswer): string {
  const [, href = ''] = /<a class="button" href="([^"]+)">Go and sign in/.exec(page.text) ?? []
  assert.ok(href, page.text)
  return unescapeHtml(href)
}

/** An answer that anybody could send to the redirect URI. */
const back = (answer: Record<string, string>) => `${HOME}/callback?${new URLSearchParams(answer).toString()}`

/** Signs the demo's nurse in, and allows it when asked; answers where the browser ends. */
async function signIn(browser: WebClient, address: string): Promise<WebAnswer> {
  let page = await browser.open(address)
  if (pathOf(page) === '/oidc/login')
    page = await browser.send(page, { username: demo['NURSE_EMAIL'] ?? '', password: demo['DEMO_PASSWORD'] ?? '' })
  if (pathOf(page) === '/oidc/consent') page = await browser.send(page, { decision: 'allow' })
  return page
}

/** The names of what was checked in the latest step, those that failed with an exclamation mark. */
function checked(page: WebAnswer): string[] {
  const latest = page.text.slice(page.text.indexOf('id="now"'))
  return [...latest.matchAll(/<li class="(passes|fails)"><strong><span[^>]*>.<\/span> ([^<]+)/g)].map(
    ([, how, name]) => `${name}${how === 'passes' ? '' : '!'}`,
  )
}

const ID_TOKEN = ['signature', 'iss', 'aud', 'exp']

describe('a walk without JavaScript', () => {
  for (const flow of ['pkce', 'secret']) {
    test(`${flow}: sign-in, exchange, userinfo, refresh twice, logout`, async () => {
      const browser = new WebClient()
      let page = await begin(browser, flow)
      assert.equal(pathOf(page), '/demo/client/walk')
      assertPageHeaders(page)
      const asked = new URL(wayToSignIn(page)).searchParams
      assert.equal(asked.has('code_challenge'), flow === 'pkce')
      for (const name of asked.keys()) assert.ok(page.text.includes(`<code class="whole">${name}</code>`), name)

      page = await signIn(browser, wayToSignIn(page))
      assert.equal(pathOf(page), '/demo/client/walk', page.text)
      assert.deepEqual(checked(page), ['state', 'iss'])
      assert.match(page.text, /<code data-copy="the code">[\w-]{43}<\/code>/)

      page = await press(browser, page, '/demo/client/exchange')
      assert.deepEqual(checked(page), [...ID_TOKEN, 'nonce'])
      assert.match(page.text, /&quot;role&quot;: &quot;NURSE_USER&quot;/)
      assert.match(page.text, /Refresh token/)

      page = await press(browser, page, '/demo/client/userinfo')
      assert.deepEqual(checked(page), ['sub'])
      assert.match(page.text, /&quot;email&quot;: &quot;nurse@example\.com&quot;/)
      for (const _ of ['once', 'with the successor']) {
        page = await press(browser, page, '/demo/client/refresh')
        assert.deepEqual(checked(page), [...ID_TOKEN, 'sub'])
      }

      page = await press(browser, page, '/oidc/logout')
      assert.equal(new URL(page.url).pathname, '/demo/client')
      assert.match(page.text, /Signed out, here and at the identity server/)
      assert.equal(pathOf(await browser.open(wayToSignIn(await begin(browser, flow)))), '/oidc/login')
    })
  }

  test('implicit by form_post: the tokens are posted, and the session is at hand for the next one', async () => {
    const browser = new WebClient()
    const posting = await signIn(browser, wayToSignIn(await begin(browser, 'form-post')))
    assert.equal(pathOf(posting), '/oidc/continue')
    const page = await press(browser, posting, '/demo/client/spa')
    assert.equal(pathOf(page), '/demo/client/walk')
    assert.deepEqual(checked(page), ['state', 'iss', ...ID_TOKEN, 'nonce', 'at_hash'])
    assert.match(page.text, /gives no refresh token/)
    assert.deepEqual(checked(await press(browser, page, '/demo/client/userinfo')), ['sub'])
  })

  test('implicit in the fragment: pasted by hand, alone or with the address before it', async () => {
    for (const whole of [true, false]) {
      const browser = new WebClient()
      const form = await signIn(browser, wayToSignIn(await begin(browser, 'fragment')))
      // A browser would keep the fragment to itself; here it stands in the address of the redirect.
      assert.match(form.url, /\/demo\/client\/spa#access_token=/)
      assert.match(form.text, /The answer is in the fragment/)
      const fragment = whole ? form.url : form.url.slice(form.url.indexOf('#') + 1)
      const page = await browser.send(form, { fragment })
      assert.deepEqual(checked(page), ['state', 'iss', ...ID_TOKEN, 'nonce', 'at_hash'])
    }
  })
})

describe('an address that was built by hand, as the documentation has it', () => {
  const address = `${url}/oidc/authorize?response_type=code&client_id=${demo['WEB_CLIENT_ID']}&scope=openid%20profile&state=hello`

  test('the code is shown, nothing vouches for it, and a button exchanges it', async () => {
    const browser = new WebClient()
    const page = await signIn(browser, address)
    assert.equal(pathOf(page), '/demo/client/walk')
    assert.deepEqual(checked(page), ['state!', 'iss'])
    assert.match(page.text, /Nothing in this browser asked for this code/)
    assert.deepEqual(checked(await press(browser, page, '/demo/client/exchange')), ID_TOKEN)
  })

  test('the lines for a shell exchange it too', async () => {
    const browser = new WebClient()
    for (const page of [
      await signIn(browser, address),
      await signIn(browser, wayToSignIn(await begin(browser, 'pkce'))),
    ]) {
      const terminal = new Terminal()
      await terminal.paste(`cd '${service.dataFolder}'; ln -sf . data`)
      assert.match(await terminal.paste(snippetOf(page, 'the exchange')), /"access_token":"[^"]+"/)
    }
  })
})

describe('what must not be believed', () => {
  test('another state, another issuer, no state: the walk stops, and nothing is exchanged', async () => {
    const right = async (browser: WebClient) => {
      const asked = new URL(wayToSignIn(await begin(browser, 'secret'))).searchParams
      return { code: 'c'.repeat(43), state: asked.get('state') ?? '', iss: `${url}/oidc` }
    }
    for (const [wrong, failed] of [
      [{ state: 'made-up' }, 'state!'],
      [{ state: '' }, 'state!'],
      [{ iss: 'https://evil.example' }, 'iss!'],
      [{ iss: '' }, 'iss!'],
    ] as const) {
      const browser = new WebClient()
      const page = await browser.open(back({ ...(await right(browser)), ...wrong }))
      assert.ok(checked(page).includes(failed), `${failed} ${checked(page).join()}`)
      assert.match(page.text, /An application stops here/)
      assert.ok(!formsOf(page).some(({ action }) => action.endsWith('/exchange')))
    }
  })

  test('a refusal, and a code that is not one, are told with the reason', async () => {
    const browser = new WebClient()
    const refused = await signIn(browser, `${wayToSignIn(await begin(browser, 'pkce'))}&prompt=none`)
    assert.match(refused.text, /login_required/)
    const asked = new URL(wayToSignIn(await begin(browser, 'secret'))).searchParams
    const answer = { code: "it's'; echo", state: asked.get('state') ?? '', iss: `${url}/oidc` }
    const page = await browser.open(back(answer))
    assert.ok(snippetOf(page, 'the exchange').includes(`'code=it'\\''s'\\''; echo'`))
    assert.match((await press(browser, page, '/demo/client/exchange')).text, /invalid_grant/)
  })

  test('tokens of somebody else, or forged ones: no signature, no nonce, stop', async () => {
    const victim = new WebClient()
    const stranger = new WebClient()
    const form = await signIn(stranger, wayToSignIn(await begin(stranger, 'fragment')))
    const stolen = new URLSearchParams(form.url.slice(form.url.indexOf('#') + 1))
    const asked = new URL(wayToSignIn(await begin(victim, 'fragment'))).searchParams
    const waiting = await victim.open(`${HOME}/spa`)
    stolen.set('state', asked.get('state') ?? '')
    const page = await victim.send(waiting, { fragment: stolen.toString() })
    assert.deepEqual(checked(page), ['state', 'iss', ...ID_TOKEN, 'nonce!', 'at_hash'])
    assert.match(page.text, /An application stops here/)

    const forger = new WebClient()
    const again = new URL(wayToSignIn(await begin(forger, 'fragment'))).searchParams
    const claims = { iss: `${url}/oidc`, aud: demo['SPA_CLIENT_ID'], exp: 9_999_999_999, nonce: again.get('nonce') }
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const forged = `${part({ alg: 'none' })}.${part(claims)}.`
    const fields = { id_token: forged, access_token: 'x', state: again.get('state') ?? '', iss: `${url}/oidc` }
    const seen = await forger.send(await forger.open(`${HOME}/spa`), {
      fragment: new URLSearchParams(fields).toString(),
    })
    assert.ok(checked(seen).includes('signature!'))
  })

  test('markup in an answer stays text', async () => {
    const attack = '<script>alert(1)</script>'
    const browser = new WebClient()
    for (const name of ['code', 'error', 'error_description', 'state', 'iss', 'id_token', attack]) {
      const page = await browser.open(back({ error: 'x', [name]: attack }))
      assert.doesNotMatch(page.text, /<script>/)
      assertPageHeaders(page)
    }
  })
})

test('a button that is pressed twice at once spends the code once', async () => {
  const browser = new WebClient()
  const page = await signIn(browser, wayToSignIn(await begin(browser, 'secret')))
  const pressed = await Promise.all(Array.from({ length: 5 }, () => press(browser, page, '/demo/client/exchange')))
  assert.ok(pressed.every(({ status }) => status === 200))
  const later = await browser.open(`${HOME}/walk`)
  assert.deepEqual(checked(later), [...ID_TOKEN, 'nonce'])
  assert.deepEqual(checked(await press(browser, later, '/demo/client/userinfo')), ['sub'], 'nothing was revoked')
})

test('a form of another page, another browser or a walk that is over does nothing', async () => {
  const browser = new WebClient()
  const page = await signIn(browser, wayToSignIn(await begin(browser, 'secret')))
  const forged = await browser.post(`${HOME}/exchange`, { csrf: 'guessed' })
  assert.equal(forged.status, 403)
  const elsewhere = await press(new WebClient(), page, '/demo/client/exchange')
  assert.match(elsewhere.text, /no walk under way in this browser/)
  assert.match((await browser.open(`${HOME}/walk`)).text, /Next: exchange the code/)
})

test('tokens and secrets stand in no address of ours and in no log; the secret not even on the page', async () => {
  const browser = new WebClient()
  const begun = await begin(browser, 'secret')
  const page = await press(browser, await signIn(browser, wayToSignIn(begun)), '/demo/client/exchange')
  const tokens = [...page.text.matchAll(/<pre class="listing" data-copy="[^"]+"><code>([^<]{40,})<\/code>/g)].map(
    ([, token = '']) => token,
  )
  assert.equal(tokens.length, 3)
  assert.ok(!page.text.includes(demo['WEB_CLIENT_SECRET'] ?? ''))
  assert.ok(page.text.includes('$WEB_CLIENT_SECRET'))
  const logged = service.logged.join('\n')
  for (const token of tokens) {
    assert.ok(!page.url.includes(token))
    assert.ok(!logged.includes(token))
  }
})

test('where nobody answers, or somebody else does, there is no walk; a code is kept for another try', async () => {
  const closed = `http://127.0.0.1:${await quietPort()}`
  assert.equal(await discover(`${closed}/oidc`), null)
  assert.equal(await discover(`${url}/oidc/`), null, 'another issuer')
  assert.equal(await discover(url), null, 'no document')

  const found = await discover(`${url}/oidc`)
  assert.ok(found)
  const { secret } = flowsOf(demoValues(service.deps.cipher, service.addresses, '', service.deps.config))
  const discovery = { ...found.discovery, token_endpoint: `${closed}/token` }
  const walk = newWalk(secret, discovery, found.step, { at: 'code', code: 'c', asked: null })
  await exchangeCode(walk)
  assert.deepEqual(walk.standing, { at: 'code', code: 'c', asked: null })
  assert.deepEqual(walk.steps.at(-1)?.checks, [{ name: 'answer', passed: false, says: 'Nobody answered. Try again.' }])
})

test('by another name of this machine the browser is sent to the one that cookies are for', async () => {
  const { port } = new URL(url)
  const answer = await new WebClient().get(`http://127.0.0.1:${port}/demo/client`)
  assert.deepEqual([answer.status, answer.location], [302, HOME])
})

test('404 outside demo mode', async () => {
  const deployed = await startDeployed()
  try {
    assert.equal((await new WebClient().get(`${deployed.url}/demo/client`)).status, 404)
  } finally {
    await deployed.stop()
  }
})
