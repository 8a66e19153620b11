import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as oidc from 'openid-client'
import type { Browser } from 'playwright-core'
import { startAuthorizeScene } from '../harness/authorize-scene.ts'
import { browserMissing, openBrowser } from '../harness/browser.ts'
import { allowAt, signInAt, signUpAt } from '../harness/people.ts'
import { type SiteAnswer, type SiteVisit, sentOn, startSite, titled } from '../harness/site.ts'

const password = 'a long walk by the river'

/** What the application keeps for its one visitor. */
type Kept = { verifier: string; state: string; nonce: string; tokens: oidc.TokenEndpointResponse | null }

describe('a web application built on openid-client', { skip: browserMissing }, async () => {
  const scene = await startAuthorizeScene()
  let browser: Browser
  before(async () => {
    browser = await openBrowser()
  })
  after(async () => {
    await browser.close()
    await scene.service.stop()
  })

  for (const kind of ['confidential', 'public with PKCE'] as const) {
    test(`${kind}: sign-up, consent, userinfo, refresh, logout, login`, async () => {
      const application = await startApplication(kind === 'confidential')
      const context = await browser.newContext()
      context.setDefaultTimeout(20_000)
      try {
        const page = await context.newPage()
        const complaints: string[] = []
        page.on('console', (message) => complaints.push(message.text()))
        const email = `${kind.split(' ')[0]}@example.com`
        const heading = () => page.locator('h1').textContent()

        await page.goto(`${application.origin}/login?screen_hint=signup`)
        await signUpAt(page, scene.url, email, password)
        await page.waitForURL('**/oidc/consent?*')
        assert.equal(await heading(), 'Allow Journey?')
        await allowAt(page)
        await page.waitForURL(`${application.origin}/home`)
        const person = await heading()
        assert.match(person ?? '', /^Signed in as usr_/)

        await page.goto(`${application.origin}/userinfo`)
        assert.equal(await heading(), `Userinfo of ${email}`)
        await page.goto(`${application.origin}/refresh`)
        assert.equal(await heading(), 'Refreshed')

        await page.goto(`${application.origin}/login`)
        await page.waitForURL(`${application.origin}/home`)
        assert.equal(await heading(), person, 'nobody is asked a second time')

        await page.goto(`${application.origin}/logout`)
        await page.waitForURL(`${application.origin}/signed-out?state=bye`)
        await page.goto(`${application.origin}/login`)
        await signInAt(page, email, password)
        await page.waitForURL(`${application.origin}/home`)
        assert.equal(await heading(), person, 'and what was allowed stays allowed')
        assert.deepEqual(complaints, [])
      } finally {
        await context.close()
        await application.close()
      }
    })
  }

  /** A server of an integrator, as the documentation of openid-client has it. */
  async function startApplication(confidential: boolean) {
    const kept: Kept = { verifier: '', state: '', nonce: '', tokens: null }
    const site = await startSite('localhost', (visit) => answer(visit))
    const client = await scene.application({
      name: 'Journey',
      type: confidential ? 'web' : 'spa',
      redirectUris: [`${site.origin}/callback`],
      postLogoutRedirectUris: [`${site.origin}/signed-out`],
    })
    const config = await oidc.discovery(
      new URL(`${scene.url}/oidc`),
      client.id,
      client.secret ?? undefined,
      client.secret === null ? oidc.None() : oidc.ClientSecretPost(client.secret),
      { execute: [oidc.allowInsecureRequests] },
    )

    async function answer({ url }: SiteVisit): Promise<SiteAnswer> {
      switch (url.pathname) {
        case '/login':
          return sentOn(await authorizationUrl(url.searchParams.get('screen_hint')))
        case '/callback':
          kept.tokens = await oidc.authorizationCodeGrant(config, url, {
            expectedState: kept.state,
            expectedNonce: kept.nonce,
            ...(!confidential && { pkceCodeVerifier: kept.verifier }),
            idTokenExpected: true,
          })
          return sentOn(`${site.origin}/home`)
        case '/home':
          return titled(`Signed in as ${subject()}`)
        case '/userinfo': {
          const person = await oidc.fetchUserInfo(config, kept.tokens?.access_token ?? '', subject())
          return titled(`Userinfo of ${person.email}`)
        }
        case '/refresh': {
          const used = kept.tokens?.refresh_token ?? ''
          const renewed = await oidc.refreshTokenGrant(config, used)
          assert.ok(renewed.refresh_token && renewed.refresh_token !== used && renewed.id_token)
          kept.tokens = renewed
          return titled('Refreshed')
        }
        case '/logout': {
          const to = { post_logout_redirect_uri: `${site.origin}/signed-out`, state: 'bye' }
          return sentOn(oidc.buildEndSessionUrl(config, { id_token_hint: idToken(), ...to }).href)
        }
        default:
          return titled('Signed out')
      }
    }

    async function authorizationUrl(screenHint: string | null): Promise<string> {
      Object.assign(kept, {
        verifier: oidc.randomPKCECodeVerifier(),
        state: oidc.randomState(),
        nonce: oidc.randomNonce(),
      })
      const pkce = {
        code_challenge: await oidc.calculatePKCECodeChallenge(kept.verifier),
        code_challenge_method: 'S256',
      }
      return oidc.buildAuthorizationUrl(config, {
        redirect_uri: `${site.origin}/callback`,
        scope: 'openid profile email offline_access',
        state: kept.state,
        nonce: kept.nonce,
        ...(!confidential && pkce),
        ...(screenHint !== null && { screen_hint: screenHint }),
      }).href
    }

    function idToken(): string {
      return kept.tokens?.id_token ?? ''
    }

    function subject(): string {
      const payload: unknown = JSON.parse(Buffer.from(idToken().split('.')[1] ?? '', 'base64url').toString())
      assert.ok(typeof payload === 'object' && payload !== null && 'sub' in payload)
      return String(payload.sub)
    }

    return site
  }
})
