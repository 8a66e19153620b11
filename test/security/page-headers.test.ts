import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startAuthorizeScene } from '../harness/authorize-scene.ts'
import { assertPageHeaders } from '../harness/page-headers.ts'
import { withRoutes } from '../harness/route-list.ts'
import { WebClient } from '../harness/web-client.ts'

const { started: scene, paths } = await withRoutes(startAuthorizeScene)
after(scene.service.stop)

const application = await scene.client()
const firstParty = await scene.client({ firstParty: true, implicit: true })
const browser = await scene.signedIn()

test('no HTML answer lacks its headers: every page on the way through', async () => {
  const asked = await scene.visit(browser, application)
  const login = await scene.visit(new WebClient(), application)
  const pages = [
    login,
    asked,
    await scene.visit(browser, firstParty, { prompt: 'select_account' }),
    await browser.get(`${scene.url}/oidc/login${new URL(asked.url).search}`),
    await browser.get(`${scene.url}/oidc/logout`),
    await new WebClient().get(`${scene.url}/oidc/logout`),
    await browser.get(scene.address(firstParty, { response_mode: 'form_post' })),
    await browser.get(scene.address(firstParty, { response_type: 'nonsense', response_mode: 'form_post' })),
    await browser.submit(login, { username: 'x', password: 'y' }),
    await browser.post(`${scene.url}/oidc/authorize`, { state: 'x'.repeat(70_000) }),
    await browser.get(`${scene.url}/oidc/nothing`),
  ]
  for (const page of pages) assertPageHeaders(page)
})

const FOR_PROGRAMS = /^\/oidc\/(?:oauth\/|userinfo$|\.well-known\/)/
test('no HTML answer lacks its headers: every path there is, with any method', async () => {
  const people = paths.filter((path) => path.startsWith('/oidc/') && !FOR_PROGRAMS.test(path))
  assert.ok(people.length >= 7)
  for (const path of people) {
    for (const method of ['GET', 'POST', 'PUT', 'DELETE']) {
      const url = scene.url + path.replaceAll(/:[A-Za-z]+/g, 'x')
      const body = method === 'POST' ? { body: new URLSearchParams() } : {}
      const response = await fetch(url, { method, redirect: 'manual', ...body })
      const text = await response.text()
      assert.ok(response.status < 500, `${method} ${path}: ${response.status}`)
      if (response.status === 303) continue
      assertPageHeaders({ url, status: response.status, headers: response.headers, text, location: null })
    }
  }
})

test('a redirect URI with ; or spaces or quotes cannot add a directive to the policy of a page', async () => {
  const uris = [
    "https://client.example/cb;script-src 'unsafe-inline'",
    'https://client.example/cb, default-src *',
    "com.example.app:/cb;script-src 'unsafe-inline'",
    'https://client.example/"><script>alert(1)</script>',
  ]
  const hostile = await scene.client({ type: 'native', redirectUris: uris, implicit: true, firstParty: false })
  for (const uri of uris) {
    const asked = { redirect_uri: uri, code_challenge: 'c'.repeat(43), code_challenge_method: 'S256' }
    const pages = [
      await scene.visit(new WebClient(), hostile, asked),
      await scene.visit(browser, hostile, asked),
      await scene.visit(browser, hostile, { ...asked, prompt: 'select_account' }),
      await new WebClient().get(scene.address(hostile, { ...asked, response_mode: 'form_post', prompt: 'none' })),
    ]
    for (const page of pages) {
      assert.equal(page.status, 200)
      const policy = page.headers.get('content-security-policy') ?? ''
      const scheme = uri.slice(0, uri.indexOf(':') + 1)
      assert.match(
        policy,
        new RegExp(
          `; form-action (?:'self' )?${scheme.replaceAll('.', '\\.')}; frame-ancestors 'none'; base-uri 'none'$`,
        ),
      )
      assert.doesNotMatch(policy, /unsafe|\*|,/)
      assert.ok(!page.text.includes('<script>alert'))
    }
  }
})
