import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { arrivalOf, assertErrorPage, CALLBACK, query, startAuthorizeScene } from '../harness/authorize-scene.ts'
import { WebClient } from '../harness/web-client.ts'

const scene = await startAuthorizeScene()
after(scene.service.stop)

const web = await scene.client({ redirectUris: [CALLBACK, 'http://localhost:5000/cb', 'https://client.example/a?x=1'] })

const refused: Array<[string, string]> = [
  ['another case in the path', 'https://client.example/Callback'],
  ['another case in the host', 'https://CLIENT.example/callback'],
  ['another case in the scheme', 'HTTPS://client.example/callback'],
  ['a trailing slash', `${CALLBACK}/`],
  ['an added query', `${CALLBACK}?next=https://evil.example`],
  ['an empty query', `${CALLBACK}?`],
  ['a query that is registered with more', 'https://client.example/a?x=1&y=2'],
  ['a query that is registered, left out', 'https://client.example/a'],
  ['a path traversal', 'https://client.example/callback/../evil'],
  ['a path traversal that comes back', 'https://client.example/x/../callback'],
  ['an encoded path traversal', 'https://client.example/x/%2e%2e/callback'],
  ['userinfo before the host', 'https://client.example@evil.example/callback'],
  ['userinfo that is registered', 'https://user:pass@client.example/callback'],
  ['another port', 'https://client.example:8443/callback'],
  ['the default port written out', 'https://client.example:443/callback'],
  ['another port on loopback, for a web application', 'http://localhost:5001/cb'],
  ['no port on loopback, for a web application', 'http://localhost/cb'],
  ['two slashes in the path', 'https://client.example//callback'],
  ['no scheme', '//client.example/callback'],
  ['an encoded character', 'https://client.example/%63allback'],
  ['an encoded slash', 'https://client.example%2fcallback'],
  ['a fragment', `${CALLBACK}#evil`],
  ['an empty fragment', `${CALLBACK}#`],
  ['another scheme', 'http://client.example/callback'],
  ['javascript', 'javascript:alert(1)//https://client.example/callback'],
  ['data', 'data:text/html,<script>alert(1)</script>'],
  ['another host that ends alike', 'https://evil-client.example/callback'],
  ['a subdomain', 'https://sub.client.example/callback'],
  ['a backslash', 'https://client.example\\@evil.example/callback'],
  ['a space before', ` ${CALLBACK}`],
  ['a line break after', `${CALLBACK}\r\nset-cookie: a=b`],
  ['a tab inside', 'https://client.example/call\tback'],
  ['markup', `${CALLBACK}"><script>alert(1)</script>`],
  ['a semicolon', `${CALLBACK};script-src 'unsafe-inline'`],
  ['a letter that folds to the registered one', 'https://client.example/callbac\u212a'],
  ['two in one', `${CALLBACK} http://localhost:5000/cb`],
  ['somebody else’s', 'https://evil.example/callback'],
]
for (const [what, uri] of refused) {
  test(`refused with a page and no redirect: ${what}`, async () => {
    for (const more of [{}, { prompt: 'none' }, { response_type: 'nonsense' }, { response_mode: 'form_post' }]) {
      const answer = await new WebClient().get(scene.address(web, { redirect_uri: uri, ...more }))
      assertErrorPage(answer)
      assert.ok(!answer.text.includes(uri), 'reflected')
      assert.ok(!answer.text.includes('evil'), 'reflected')
      assert.ok(
        !/<script(?! src="\/public\/site\.js" defer>)|unsafe-inline/.test(
          answer.text + answer.headers.get('content-security-policy'),
        ),
      )
      assert.equal(answer.headers.get('set-cookie'), null, 'nothing is begun')
    }
  })
}

test('refused with a page: an application that has none, or several when none is sent, or that does not exist', async () => {
  const without = await scene.client({ redirectUris: [] })
  for (const address of [
    scene.address(without),
    scene.address(without, { redirect_uri: null }),
    scene.address(web, { redirect_uri: null }),
    scene.address(web, { redirect_uri: '' }),
    scene.address({ id: 'app_nobody', secret: null }),
    scene.address({ id: '', secret: null }),
    scene.address(web, { client_id: null }),
    scene.address(web, { client_id: "a' or 1=1 --" }),
    scene.address(web, { client_id: `${web.id}\n` }),
    `${scene.address(web)}&client_id=${web.id}`,
    `${scene.address(web)}&${query({ redirect_uri: 'https://evil.example' })}`,
    `${scene.url}/oidc/authorize`,
  ]) {
    assertErrorPage(await new WebClient().get(address))
  }
})

test('another application’s redirect URI is not mine', async () => {
  const other = await scene.client({ redirectUris: ['https://other.example/callback'] })
  assertErrorPage(await new WebClient().get(scene.address(other)))
})

test('the exact string is sent to, a registered query included', async () => {
  const browser = await scene.signedIn()
  for (const uri of [CALLBACK, 'http://localhost:5000/cb', 'https://client.example/a?x=1']) {
    const { target } = await scene.arrive(browser, web, { redirect_uri: uri })
    assert.equal(target, uri.split('?')[0])
  }
  const last = await scene.visit(browser, web, { redirect_uri: 'https://client.example/a?x=1' })
  assert.match(last.location ?? '', /^https:\/\/client\.example\/a\?x=1&code=[^&]+&state=st&iss=/)
})

const native = await scene.client({
  type: 'native',
  redirectUris: [
    'http://127.0.0.1/cb',
    'http://[::1]:1/cb',
    'http://localhost:7/cb?a=b',
    'com.example.app:/cb',
    'https://app.example/cb',
  ],
})
const pkce = { code_challenge: 'c'.repeat(43), code_challenge_method: 'S256' }

for (const uri of [
  'http://127.0.0.1/cb',
  'http://127.0.0.1:49152/cb',
  'http://[::1]:50000/cb',
  'http://[::1]/cb',
  'http://localhost:8/cb?a=b',
  'com.example.app:/cb',
  'https://app.example/cb',
]) {
  test(`a native application gets its answer at ${uri}`, async () => {
    const answer = await new WebClient().get(scene.address(native, { redirect_uri: uri, prompt: 'none', ...pkce }))
    assert.equal(arrivalOf(answer).fields['error'], 'login_required')
    assert.ok(answer.location?.startsWith(uri))
  })
}

for (const uri of [
  'http://127.0.0.1:49152/other',
  'http://127.0.0.1:49152/cb/',
  'http://127.0.0.1:49152/cb?x',
  'http://127.0.0.1:4915200/cb',
  'http://127.0.0.1:/cb',
  'http://127.0.0.1:1@evil.example/cb',
  'http://127.0.0.1.evil.example/cb',
  'http://127.0.0.1:80:80/cb',
  'http://127.0.0.2/cb',
  'http://localhost:5/cb',
  'http://localhost:8/cb?a=c',
  'https://127.0.0.1:49152/cb',
  'https://app.example:444/cb',
  'com.example.app://cb',
  'com.example.app:1/cb',
]) {
  test(`a native application is refused at ${uri}`, async () => {
    assertErrorPage(await new WebClient().get(scene.address(native, { redirect_uri: uri, ...pkce })))
  })
}
