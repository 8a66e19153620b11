import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { startAuthorizeScene } from '../harness/authorize-scene.ts'
import { browserMissing, openBrowser } from '../harness/browser.ts'
import { allowAt, signInAt, signUpAt } from '../harness/people.ts'
import { type SiteAnswer, type SiteVisit, startSite } from '../harness/site.ts'

const password = 'a long walk by the river'
const SCRIPT = fileURLToPath(
  import.meta.resolve('oidc-client-ts').replace(/\/esm\/.*$/, '/browser/oidc-client-ts.min.js'),
)

describe('a single-page application built on oidc-client-ts', { skip: browserMissing }, async () => {
  const scene = await startAuthorizeScene()
  const script = await readFile(SCRIPT, 'utf8')
  let browser: Browser
  before(async () => {
    browser = await openBrowser()
  })
  after(async () => {
    await browser.close()
    await scene.service.stop()
  })

  for (const [what, host, scope] of [
    ['same-site, renewed silently by prompt=none in a frame', 'localhost', 'openid profile email'],
    ['cross-site, renewed by its refresh token', '127.0.0.1', 'openid profile email offline_access'],
  ] as const) {
    test(`${what}: sign-up, consent, userinfo, renew, logout, login`, async () => {
      let clientId = ''
      const site = await startSite(host, (visit) => answer(visit, site.origin, clientId, scope))
      const context = await browser.newContext()
      context.setDefaultTimeout(20_000)
      try {
        const application = await scene.application({
          name: 'Journey',
          type: 'spa',
          redirectUris: [`${site.origin}/callback`, `${site.origin}/silent`],
          webOrigins: [site.origin],
          postLogoutRedirectUris: [`${site.origin}/signed-out`],
        })
        clientId = application.id
        const page = await context.newPage()
        const email = `${host}@example.com`
        const complaints: string[] = []
        page.on('console', (message) => complaints.push(message.text()))
        const asked: string[] = []
        page.on('request', (request) => asked.push(`${request.method()} ${new URL(request.url()).pathname}`))

        await page.goto(site.origin)
        const signUp = 'app.signinRedirect({ nonce: "n1", extraQueryParams: { screen_hint: "signup" } })'
        await start(page, signUp, '/oidc/signup')
        await signUpAt(page, scene.url, email, password)
        await allowAt(page)
        await page.waitForURL(`${site.origin}/callback?*`)
        const shown = { email, hasRefresh: scope.includes('offline_access') }
        assert.deepEqual(await page.evaluate('app.signinCallback().then(() => app.getUser()).then(shown)'), shown)

        const old = await page.evaluate('app.getUser().then((user) => user.access_token)')
        asked.length = 0
        const renewed = await page.evaluate('app.signinSilent().then((user) => user.access_token)')
        assert.ok(typeof renewed === 'string' && renewed !== old)
        assert.equal(asked.includes('GET /oidc/authorize'), host === 'localhost', 'by a frame, or without one')
        assert.equal((await scene.userinfo(renewed)).status, 200)

        await start(page, 'app.signoutRedirect({ state: "bye" })', '/signed-out')
        assert.equal(new URL(page.url()).origin, site.origin)
        await page.goto(site.origin)
        await start(page, 'app.signinRedirect()', '/oidc/login')
        await signInAt(page, email, password)
        await page.waitForURL(`${site.origin}/callback?*`)
        assert.deepEqual(await page.evaluate('app.signinCallback().then(() => app.getUser()).then(shown)'), shown)
        assert.deepEqual(complaints, [])
      } finally {
        await context.close()
        await site.close()
      }
    })
  }

  /** Sets off something that leaves the page, and waits until it has arrived. */
  async function start(page: Page, leave: string, path: string): Promise<void> {
    await page.evaluate(`void ${leave}`)
    await page.waitForURL((url) => url.pathname === path)
  }

  function answer({ url }: SiteVisit, origin: string, clientId: string, scope: string): SiteAnswer {
    if (url.pathname === '/oidc-client-ts.js') return { headers: { 'content-type': 'text/javascript' }, body: script }
    const settings = {
      authority: `${scene.url}/oidc`,
      client_id: clientId,
      redirect_uri: `${origin}/callback`,
      silent_redirect_uri: `${origin}/silent`,
      post_logout_redirect_uri: `${origin}/signed-out`,
      scope,
      loadUserInfo: true,
      automaticSilentRenew: false,
      silentRequestTimeoutInSeconds: 15,
    }
    return {
      body: `<!doctype html><html lang="en"><title>SPA</title><link rel="icon" href="data:,"><h1>SPA</h1>
<script src="/oidc-client-ts.js"></script><script>
var app = new oidc.UserManager(${JSON.stringify(settings)})
var shown = (user) => ({ email: user.profile.email, hasRefresh: Boolean(user.refresh_token) })
${url.pathname === '/silent' ? 'app.signinSilentCallback()' : ''}
</script>`,
    }
  }
})
