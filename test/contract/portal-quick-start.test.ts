import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import type { Application } from '../../src/domain/applications/application.ts'
import { signedHeaders } from '../../src/domain/deliveries/signature.ts'
import { connectApplication } from '../../src/domain/facilities/facility-store.ts'
import { FACILITY_EVENTS, USER_EVENTS } from '../../src/domain/webhooks/event-names.ts'
import { newWebhookSecret } from '../../src/domain/webhooks/webhook-secret.ts'
import { arrivalOf, pathOf } from '../harness/authorize-scene.ts'
import { startPortalScene } from '../harness/portal-scene.ts'
import { quietPort } from '../harness/quiet-port.ts'
import { pythonMissing, runProgram, shellMissing, snippetOf, Terminal } from '../harness/snippets.ts'
import { soon } from '../harness/soon.ts'
import { type WebAnswer, WebClient } from '../harness/web-client.ts'

const scene = await startPortalScene()
after(scene.service.stop)

const { demo } = scene.service
const CALLBACK = 'https://client.example/callback'
const RECEIVER = `${demo['RECEIVER_URL']}/hook`

/** An application that is connected to a sandbox facility, and its quick start. */
async function quickStart(settings: Partial<Application>) {
  const ann = await scene.colleague()
  const team = await scene.team('Rota', [[ann, 'owner']])
  const { application, clientSecret } = await scene.application(team, settings)
  const id = demo['SANDBOX_FACILITIES']?.split(',')[0] ?? ''
  await connectApplication(scene.db, { environment: 'sandbox', id }, application)
  const browser = await scene.signedIn(ann)
  const page = await browser.open(scene.at(`/teams/${team}/applications/${application}/quick-start`))
  assert.equal(page.status, 200, page.text)
  return { application, clientSecret, page }
}

/** A shell in which the first card of the page was done. */
async function prepared(page: WebAnswer, clientSecret: string | null): Promise<Terminal> {
  const terminal = new Terminal()
  await terminal.paste(snippetOf(page, 'the preparation'))
  if (clientSecret !== null) await terminal.paste(snippetOf(page, 'the question for the secret'), clientSecret)
  return terminal
}

/** Signs the demo's nurse in at the address that was printed; answers where the browser ends. */
async function signInAt(address: string): Promise<string> {
  const browser = new WebClient()
  let page = await browser.open(address)
  assert.equal(pathOf(page), '/oidc/login', page.text)
  page = await browser.send(page, { username: demo['NURSE_EMAIL'] ?? '', password: demo['DEMO_PASSWORD'] ?? '' })
  if (pathOf(page) === '/oidc/consent') page = await browser.send(page, { decision: 'allow' })
  assert.equal(arrivalOf(page).mode, 'query')
  return page.location ?? ''
}

describe('the lines for a shell run as they stand', { skip: shellMissing }, () => {
  for (const [what, settings] of [
    ['a web application', { type: 'web', tokenEndpointAuthentication: 'either' }],
    ['a web application that posts its secret', { type: 'web', tokenEndpointAuthentication: 'post' }],
    ['a single-page application without a secret', { type: 'spa', tokenEndpointAuthentication: 'none' }],
  ] as const)
    test(`authorization code, userinfo, refresh, webhook: ${what}`, async () => {
      const { clientSecret, page } = await quickStart({ ...settings, redirectUris: [CALLBACK] })
      const hasSecret = settings.tokenEndpointAuthentication !== 'none'
      assert.equal(page.text.includes('CLIENT_SECRET'), hasSecret)
      const terminal = await prepared(page, hasSecret ? clientSecret : null)
      const address = await terminal.paste(snippetOf(page, 'the way to the sign-in page'))
      const code = new URL(await signInAt(address)).searchParams.get('code') ?? ''
      await terminal.paste(snippetOf(page, 'the question for the code'), code)
      const tokens = await terminal.paste(snippetOf(page, 'authorization code'))
      assert.match(tokens, /"access_token":"[^"]+".*"refresh_token":"|"refresh_token":"[^"]+".*"access_token":"/)
      assert.match(await terminal.paste(snippetOf(page, 'userinfo')), /"email":"nurse@example\.com"/)
      const refreshed = await terminal.paste(snippetOf(page, 'refresh'))
      assert.match(refreshed, /"access_token":"/)
      assert.match(await terminal.paste(snippetOf(page, 'userinfo')), /"sub":/)
      await assertWebhooksWork(terminal, page)
    })

  test('client credentials, password, refresh, webhook, event, deliveries', async () => {
    const { clientSecret, page } = await quickStart({ type: 'machine', clientCredentials: true, passwordGrant: true })
    assert.doesNotMatch(page.text, /Not enabled/)
    const terminal = await prepared(page, clientSecret)
    assert.match(await terminal.paste(snippetOf(page, 'client credentials')), /"access_token":"/)
    await assertWebhooksWork(terminal, page)
    const { NURSE_EMAIL = '', DEMO_PASSWORD = '' } = demo
    await terminal.paste(snippetOf(page, 'the question for the password'), NURSE_EMAIL, DEMO_PASSWORD)
    assert.match(await terminal.paste(snippetOf(page, 'password grant')), /"refresh_token":"/)
    assert.match(await terminal.paste(snippetOf(page, 'refresh')), /"access_token":"/)
  })

  test('what somebody registered does not run on a colleague’s machine', async () => {
    const trap = join(tmpdir(), `handover-trap-${process.pid}`)
    const uris = ["'", '"', ''].map((quote) => `https://client.example/${quote}$(touch\${IFS}${trap})\`touch ${trap}\``)
    for (const uri of uris) {
      const { page } = await quickStart({ type: 'web', redirectUris: [uri] })
      const terminal = await prepared(page, 'secret')
      const printed = await terminal.paste(snippetOf(page, 'the way to the sign-in page'))
      assert.equal(new URL(printed).searchParams.get('redirect_uri'), uri)
      await terminal.paste(snippetOf(page, 'authorization code'))
      assert.ok(!existsSync(trap))
    }
  })
})

async function assertWebhooksWork(terminal: Terminal, page: WebAnswer): Promise<void> {
  await terminal.paste(`WEBHOOK_URL=${RECEIVER}`)
  assert.match(await terminal.paste(snippetOf(page, 'the webhook')), /"secrets":\["whsec_/)
  assert.match(await terminal.paste(snippetOf(page, 'the event')), /"deliveries":[1-9]/)
  assert.ok(
    await soon(async () => (await terminal.paste(snippetOf(page, 'the deliveries'))).includes('"delivered"'), 5_000),
  )
}

test('the sign-in in Node, with openid-client', async () => {
  const { clientSecret, page } = await quickStart({ type: 'web', redirectUris: [CALLBACK] })
  const program = runProgram('node', snippetOf(page, 'the sign-in in Node'), { CLIENT_SECRET: clientSecret })
  const address = await program.says(/^(http\S+)$/m)
  await program.says(/browser end\?/)
  program.type(await signInAt(address))
  assert.equal(await program.ended, 0, program.out())
  assert.match(program.out(), /email: 'nurse@example\.com'/)
})

for (const [language, missing] of [
  ['node', false],
  ['python3', pythonMissing],
] as const) {
  const [api, receiver] =
    language === 'node' ? ['the API in Node', 'the receiver in Node'] : ['the API in Python', 'the receiver in Python']

  for (const tokenEndpointAuthentication of ['either', 'post'] as const)
    test(`${api}: ${tokenEndpointAuthentication}`, { skip: missing }, async () => {
      const settings = { type: 'machine', clientCredentials: true, tokenEndpointAuthentication } as const
      const { clientSecret, page } = await quickStart(settings)
      const env = { CLIENT_SECRET: clientSecret, WEBHOOK_URL: RECEIVER }
      const program = runProgram(language, snippetOf(page, api), env)
      assert.equal(await program.ended, 0, program.out())
      assert.match(program.out(), /registered whk_/)
      assert.match(program.out(), /deliveries'?: 1/)
    })

  test(`${receiver}: takes what is signed, and refuses what is changed, old, or not signed`, {
    skip: missing,
  }, async () => {
    const { page } = await quickStart({ type: 'machine' })
    const secret = newWebhookSecret()
    const port = await quietPort()
    runProgram(language, snippetOf(page, receiver), { WEBHOOK_SECRET: secret, PORT: String(port) })
    const post = (headers: Record<string, string>, body: string) =>
      fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body }).then(({ status }) => status)
    const body = '{"id":"evt_1","type":"shift.created","data":{"name":"Zoë"}}'
    const signed = (now = new Date(), secrets = [secret]) => signedHeaders({ id: 'evt_1', body }, secrets, now)
    assert.ok(await soon(async () => (await post(signed(), body).catch(() => 0)) === 204, 20_000))
    assert.equal(await post(signed(new Date(), [newWebhookSecret(), secret]), body), 204, 'while rotating')
    assert.equal(await post(signed(), body.replace('Zoë', 'Bob')), 400)
    assert.equal(await post(signed(new Date(Date.now() - 3_600_000)), body), 400)
    assert.equal(await post(signed(new Date(), [newWebhookSecret()]), body), 400)
    assert.equal(await post({}, body), 400)
  })
}

test('what is not enabled is named with the way to it; what is missing is said', async () => {
  const { application, page } = await quickStart({ type: 'web' })
  assert.match(page.text, /Not enabled<\/h3>\s*<p>Client credentials/)
  for (const setting of ['client-credentials', 'password-grant'])
    assert.ok(page.text.includes(`/applications/${application}/support?setting=${setting}"`))
  assert.match(page.text, /register a redirect URI/)
  assert.doesNotMatch(page.text, /grant_type=(client_credentials|password|authorization_code)/)
})

test('an application that may not use the sandbox gets the audience of production, and no event to make', async () => {
  const { page } = await quickStart({ type: 'machine', clientCredentials: true, environments: ['production'] })
  const { production, sandbox } = scene.service.deps.config.audiences
  assert.ok(page.text.includes(production) && !page.text.includes(sandbox))
  assert.doesNotMatch(page.text, /sandbox\/events/)
})

test('the catalogue has every event with a body', async () => {
  const { page } = await quickStart({ type: 'machine' })
  for (const type of [...FACILITY_EVENTS, ...USER_EVENTS]) {
    const body: unknown = JSON.parse(snippetOf(page, `body of ${type}`))
    assert.ok(typeof body === 'object' && body !== null && 'type' in body && 'data' in body)
    assert.equal(body.type, type)
  }
})

test('another team’s application is 404', async () => {
  const { page } = await quickStart({})
  const eve = await scene.colleague('Eve')
  const own = await scene.team('Own', [[eve, 'owner']])
  const browser = await scene.signedIn(eve)
  assert.equal((await browser.open(page.url)).status, 404)
  assert.equal((await browser.open(page.url.replace(/teams\/[^/]+/, `teams/${own}`))).status, 404)
})

test('names and addresses with markup in them are inert', async () => {
  for (const words of ['<script>alert(1)</script>', '"><img src=x onerror=alert(1)>', "' onmouseover='alert(1)"]) {
    const { page } = await quickStart({ name: words, redirectUris: [`https://a.example/${words}`] })
    assert.doesNotMatch(page.text, /<script(?! src="\/public\/site\.js")|<img/)
    assert.ok(!page.text.includes(words))
  }
})
