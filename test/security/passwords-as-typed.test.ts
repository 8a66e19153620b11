import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startAuthorizeScene } from '../harness/authorize-scene.ts'
import { WebClient } from '../harness/web-client.ts'

const scene = await startAuthorizeScene()
after(scene.service.stop)

const signsIn = async (password: string): Promise<boolean> => {
  const browser = new WebClient()
  const page = await browser.open(`${scene.url}/oidc/account`)
  return (await browser.submit(page, { username: 'nurse@example.com', password })).status === 303
}

test('a password is what was typed: 128 characters, spaces at both ends, any script; nothing is cut, folded or left out', async () => {
  const chosen = ` Ünïcödé 漢字 🛶 ${'Aa '.repeat(36)}wxyz! `
  assert.equal(Array.from(chosen).length, 128)
  const browser = await scene.signedIn()
  const page = await browser.get(`${scene.url}/oidc/account/password`)
  const changed = await browser.submit(page, { password: scene.password, new_password: chosen })
  assert.equal(changed.status, 303, changed.text)
  assert.ok(await signsIn(chosen))
  for (const almost of [chosen.trim(), chosen.slice(0, -1), chosen.slice(0, 72), chosen.toLowerCase(), `${chosen} `])
    assert.ok(!(await signsIn(almost)), JSON.stringify(almost))
})

test('fields for passwords hide what is typed, and let password managers and paste do their work', async () => {
  const person = await scene.signedIn('facility@example.com')
  const stranger = new WebClient()
  const pages = [
    await stranger.open(`${scene.url}/oidc/account`),
    await stranger.open(`${scene.url}/portal/sign-in`),
    await stranger.open(`${scene.url}/portal/sign-up`),
    await stranger.open(`${scene.url}/support/sign-in`),
    await person.get(`${scene.url}/oidc/account/password`),
    await person.get(`${scene.url}/oidc/account/two-factor/set-up`),
  ]
  for (const { url, text } of pages) {
    const fields = [...text.matchAll(/<input[^>]*password[^>]*>/g)]
      .map(([field]) => field)
      .filter((field) => / name="/.test(field))
    assert.ok(fields.length > 0, url)
    for (const field of fields) {
      assert.match(field, / type="password"/, url)
      assert.match(field, / autocomplete="(?:current|new)-password"/, url)
      assert.doesNotMatch(field, /maxlength|minlength|pattern|onpaste|autocomplete="off"| value="[^"]/, url)
    }
  }
})
