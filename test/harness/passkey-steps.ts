import assert from 'node:assert/strict'
import { Authenticator, type Tweak } from './authenticator.ts'
import { unescapeHtml } from './page-forms.ts'
import { PORTAL_PASSWORD, type PortalScene, submitTo } from './portal-scene.ts'
import type { WebAnswer, WebClient } from './web-client.ts'

const SAME_ORIGIN = { 'sec-fetch-site': 'same-origin' }

export function csrfIn({ text }: WebAnswer): string {
  return /name="csrf" value="([^"]+)"/.exec(text)?.[1] ?? ''
}

/** The page that makes a passkey, and what it asks the authenticator. */
export async function beginPasskey(scene: PortalScene, browser: WebClient, name = 'Laptop') {
  const asked = await browser.open(scene.at('/account/passkeys/new'))
  const page = await submitTo(browser, asked, '/passkeys/new', { name, password: PORTAL_PASSWORD })
  const options = /data-options="([^"]+)"/.exec(page.text)?.[1]
  assert.ok(options, page.text)
  return { page, options: JSON.parse(unescapeHtml(options)) }
}

/** As the script of the page would send it. */
export async function sendPasskey(browser: WebClient, page: WebAnswer, credential: string): Promise<WebAnswer> {
  return submitTo(browser, page, '/account/passkeys', { credential })
}

export async function addPasskey(scene: PortalScene, browser: WebClient, name?: string): Promise<Authenticator> {
  const authenticator = new Authenticator(scene.url)
  const { page, options } = await beginPasskey(scene, browser, name)
  const added = await sendPasskey(browser, page, authenticator.create(options))
  assert.equal(added.location, scene.at('/account/passkeys?done=passkey-added'), added.text)
  return authenticator
}

/** The sign-in page, and a challenge for the browser that opened it. */
export async function beginPasskeySignIn(scene: PortalScene, browser: WebClient, from = scene.at('/sign-in')) {
  const page = await browser.open(from)
  const fields = { csrf: csrfIn(page) }
  const answer = await browser.post(scene.at('/sign-in/passkey/challenge'), fields, SAME_ORIGIN)
  assert.equal(answer.status, 200, answer.text)
  return { page, options: JSON.parse(answer.text) }
}

export async function finishPasskeySignIn(
  scene: PortalScene,
  browser: WebClient,
  page: WebAnswer,
  credential: string,
): Promise<WebAnswer> {
  const next = /name="next" value="([^"]+)"/.exec(page.text)?.[1] ?? null
  return browser.post(scene.at('/sign-in/passkey'), { csrf: csrfIn(page), next, credential }, SAME_ORIGIN)
}

export async function signInWith(
  scene: PortalScene,
  browser: WebClient,
  authenticator: Authenticator,
  tweak: Tweak = {},
): Promise<WebAnswer> {
  const { page, options } = await beginPasskeySignIn(scene, browser)
  return finishPasskeySignIn(scene, browser, page, authenticator.get(options, tweak))
}
