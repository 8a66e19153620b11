import assert from 'node:assert/strict'
import { registerHooks } from 'node:module'
import { after, test } from 'node:test'

const loaded: string[] = []
registerHooks({
  resolve(specifier, context, next) {
    if (specifier.startsWith('@simplewebauthn/')) loaded.push(specifier)
    return next(specifier, context)
  },
})

// Only what is imported from here on passes the hook.
const { startPortalScene } = await import('../harness/portal-scene.ts')
const { beginPasskeySignIn, beginPasskey, finishPasskeySignIn } = await import('../harness/passkey-steps.ts')
const { Authenticator } = await import('../harness/authenticator.ts')
const { WebClient } = await import('../harness/web-client.ts')

const scene = await startPortalScene()
after(scene.service.stop)

test('the package for passkeys is loaded when the first passkey is checked, and not before', async () => {
  const ann = await scene.colleague()
  const browser = await scene.signedIn(ann)
  await beginPasskey(scene, browser)
  const visitor = new WebClient()
  const { page, options } = await beginPasskeySignIn(scene, visitor)
  await finishPasskeySignIn(scene, visitor, page, new Authenticator(scene.url).get(options))
  assert.equal(loaded.length, 0)
  const begun = await beginPasskey(scene, browser)
  const credential = new Authenticator(scene.url).create(begun.options)
  const csrf = /name="csrf" value="([^"]+)"/.exec(begun.page.text)?.[1] ?? ''
  const fields = { csrf, name: 'Laptop', credential }
  const added = await browser.post(scene.at('/account/passkeys'), fields, { 'sec-fetch-site': 'same-origin' })
  assert.equal(added.status, 303)
  assert.ok(loaded.includes('@simplewebauthn/server'))
})
