import assert from 'node:assert/strict'
import { request } from 'node:http'
import { after, test } from 'node:test'
import { addPasskey, beginPasskeySignIn, finishPasskeySignIn } from '../harness/passkey-steps.ts'
import { PORTAL_PASSWORD, startPortalScene } from '../harness/portal-scene.ts'
import { WebClient } from '../harness/web-client.ts'

const scene = await startPortalScene()
after(scene.service.stop)

const ann = await scene.colleague()
const team = await scene.team('Rota', [[ann, 'owner']])
const right = { email: ann.email, password: PORTAL_PASSWORD }

/** The sign-in page that stands in the way, and the value it carries. */
async function sentAway(browser: WebClient, path: string) {
  const away = await browser.get(scene.at(path))
  assert.equal(away.status, 303)
  const page = await browser.follow(away)
  return { page, next: new URL(away.location ?? '').searchParams.get('next') }
}

for (const path of [
  `/teams/${team}`,
  `/teams/${team}/audit?action=team.created&before=aud_1`,
  '/account/passkeys/new',
]) {
  test(`after signing in one is where one wanted to go: ${path}`, async () => {
    const browser = new WebClient()
    const { page } = await sentAway(browser, path)
    const wrong = await browser.submit(page, { ...right, password: 'wrong' })
    assert.equal(wrong.status, 400)
    assert.equal((await browser.submit(wrong, right)).location, scene.at(path))
  })
}

test('also after a one-time code, after a recovery code and with a passkey; and when one is signed in already', async () => {
  const eve = await scene.colleague('Eve')
  const passkey = await addPasskey(scene, await scene.signedIn(eve))
  const { recoveryCodes } = await scene.enrol(eve.id)
  const browser = new WebClient()
  const { page } = await sentAway(browser, '/account/log')
  const code = await browser.follow(await browser.submit(page, { email: eve.email, password: PORTAL_PASSWORD }))
  const other = /href="([^"]*with=recovery)"/.exec(code.text)?.[1]?.replaceAll('&amp;', '&') ?? ''
  const recovery = await browser.open(`${scene.url}${other}`)
  const done = await browser.submit(recovery, { recovery_code: recoveryCodes[0] ?? '' })
  assert.equal(done.location, scene.at('/account/log'))
  assert.equal((await browser.get(page.url)).location, scene.at('/account/log'))

  const second = new WebClient()
  const away = await second.get(scene.at('/account/log'))
  const begun = await beginPasskeySignIn(scene, second, away.location ?? '')
  const signedIn = await finishPasskeySignIn(scene, second, begun.page, passkey.get(begun.options))
  assert.equal(signedIn.location, scene.at('/account/log'))
})

test('the portal itself, a form, and what has an odd address lead to the sign-in page and no further', async () => {
  for (const path of ['', '/teams/..%2f..%2foidc', '/teams/%2e%2e', '/teams/a%0d%0ab', `/teams/${'x'.repeat(2_000)}`]) {
    const away = await new WebClient().get(scene.at(path))
    assert.ok(away.status === 404 || away.status === 414 || away.location === scene.at('/sign-in'), path)
  }
  const query = await new WebClient().get(scene.at('/account?x=https://evil.example/<script>'))
  assert.equal(query.location, scene.at('/sign-in'))
})

test('no address but one that we wrote for this browser leads on: others, changed, unsigned, of another browser', async () => {
  const browser = new WebClient()
  const { next } = await sentAway(browser, '/account/log')
  assert.ok(next)
  const [encoded = '', seal = ''] = next.split('.')
  const hostile = [
    '//evil.example',
    'https://evil.example',
    '/\\evil.example',
    '/../oidc/logout',
    '/account/../..//evil',
  ]
  const values = [
    ...hostile,
    ...hostile.map((path) => Buffer.from(path).toString('base64url')),
    ...hostile.map((path) => `${Buffer.from(path).toString('base64url')}.${seal}`),
    `${Buffer.from('/account').toString('base64url')}.${seal}`,
    `${encoded}.`,
    `${encoded}.${'A'.repeat(43)}`,
    encoded,
    '.',
    'x'.repeat(5_000),
  ]
  for (const value of values) {
    const page = await browser.open(scene.at(`/sign-in?next=${encodeURIComponent(value)}`))
    const shown = page.text.includes('name="next"')
    assert.ok(!shown, value)
    const visitor = browser.copy()
    const answer = await visitor.submit(page, { ...right, next: value })
    assert.deepEqual([answer.status, answer.location], [303, scene.at('')], value)
  }
  const stranger = new WebClient()
  const page = await stranger.open(scene.at(`/sign-in?next=${next}`))
  assert.equal((await stranger.submit(page, { ...right, next })).location, scene.at(''))
})

test('an address in full in the request line does not become the page to go to', async () => {
  const { host, hostname, port } = new URL(scene.url)
  const location = await new Promise<string | undefined>((resolve, reject) => {
    request({ host: hostname, port, path: `http://${host}/portal/account` }, (answer) => {
      answer.resume()
      resolve(answer.headers.location)
    })
      .on('error', reject)
      .end()
  })
  assert.ok(location === undefined || location === '/portal/sign-in', location)
})

test('an invitation goes before the page that was asked for', async () => {
  const browser = new WebClient()
  const { next } = await sentAway(browser, '/account/log')
  const secret = 'S'.repeat(43)
  const page = await browser.open(scene.at(`/sign-in?next=${next}&invitation=${secret}`))
  assert.equal((await browser.submit(page, right)).location, scene.at(`/join?invitation=${secret}`))
})
