import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, test } from 'node:test'
import { arrivalOf, assertErrorArrives, CALLBACK, startAuthorizeScene } from '../harness/authorize-scene.ts'
import { unescapeHtml } from '../harness/page-forms.ts'
import { WebClient } from '../harness/web-client.ts'

const scene = await startAuthorizeScene()
after(scene.service.stop)

const application = await scene.client({ firstParty: true, implicit: true })
const browser = await scene.signedIn()

for (const [asked, mode] of [
  [null, 'query'],
  ['query', 'query'],
  ['fragment', 'fragment'],
  ['form_post', 'form_post'],
] as const) {
  test(`code by response_mode=${asked ?? 'left out: query'}, errors too, each with state and iss`, async () => {
    const arrival = await scene.arrive(browser, application, { response_mode: asked })
    assert.equal(arrival.mode, mode)
    assert.equal(arrival.target, CALLBACK)
    assert.deepEqual(Object.keys(arrival.fields), ['code', 'state', 'iss'])
    assert.equal(arrival.fields['iss'], `${scene.url}/oidc`)
    const { fields } = assertErrorArrives(
      scene,
      await scene.visit(new WebClient(), application, { response_mode: asked, prompt: 'none' }),
      'login_required',
      mode,
    )
    assert.deepEqual(Object.keys(fields), ['error', 'error_description', 'state', 'iss'])
    assert.equal(fields['state'], 'st')
  })
}

test('invalid_request in the query for a mode that is not supported', async () => {
  for (const mode of ['web_message', 'QUERY', 'query fragment', 'jwt'])
    assertErrorArrives(scene, await scene.visit(browser, application, { response_mode: mode }), 'invalid_request')
})

const refused: Array<[string | null, string, 'query' | 'form_post']> = [
  [null, 'invalid_request', 'query'],
  ['', 'invalid_request', 'query'],
  ['nonsense', 'unsupported_response_type', 'query'],
  ['CODE', 'unsupported_response_type', 'query'],
  ['none', 'unsupported_response_type', 'query'],
  ['code token', 'unsupported_response_type', 'form_post'],
  ['code id_token', 'unsupported_response_type', 'form_post'],
  ['code id_token token', 'unsupported_response_type', 'form_post'],
  ['token  id_token', 'unsupported_response_type', 'form_post'],
  ['token token', 'unsupported_response_type', 'form_post'],
]
for (const [type, error, mode] of refused) {
  test(`${error} by ${mode} for response_type ${type ?? 'left out'}`, async () => {
    const answer = await scene.visit(browser, application, { response_type: type })
    assert.equal(assertErrorArrives(scene, answer, error, mode).fields['state'], 'st')
  })
}

test('form_post is one form to the redirect URI, one script allowed by its hash, and a button for who has no JavaScript', async () => {
  const answer = await browser.get(scene.address(application, { response_mode: 'form_post', state: '"<&>\'' }))
  assert.equal(answer.status, 200)
  assert.ok(answer.text.includes(`<form method="post" action="${CALLBACK}">`))
  assert.match(answer.text, /<button type="submit">Continue<\/button>/)
  const scripts = [...answer.text.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(([, script = '']) => script)
  assert.equal(scripts.length, 1)
  const hash = createHash('sha256')
    .update(scripts[0] ?? '')
    .digest('base64')
  const policy = answer.headers.get('content-security-policy') ?? ''
  assert.ok(policy.includes(`script-src 'sha256-${hash}';`))
  assert.ok(policy.includes('form-action https:;'))
  assert.equal(unescapeHtml(/name="state" value="([^"]*)"/.exec(answer.text)?.[1] ?? ''), '"<&>\'')
})

test('a query that the redirect URI has already stays, and a fragment comes after it', async () => {
  const uri = 'https://client.example/cb?tenant=a%20b'
  const own = await scene.client({ firstParty: true, implicit: true, redirectUris: [uri] })
  const byQuery = await browser.get(scene.address(own, { redirect_uri: uri }))
  assert.match(byQuery.location ?? '', /^https:\/\/client\.example\/cb\?tenant=a%20b&code=/)
  const byFragment = await browser.get(scene.address(own, { redirect_uri: uri, response_mode: 'fragment' }))
  assert.match(byFragment.location ?? '', /^https:\/\/client\.example\/cb\?tenant=a%20b#code=/)
  const byPost = await browser.get(scene.address(own, { redirect_uri: uri, response_mode: 'form_post' }))
  assert.equal(arrivalOf(byPost).target, uri)
})

test('no answer with a code or a token may be kept', async () => {
  for (const mode of ['query', 'fragment', 'form_post']) {
    const { headers } = await browser.get(scene.address(application, { response_mode: mode }))
    assert.equal(headers.get('cache-control'), 'no-store')
    assert.equal(headers.get('referrer-policy'), 'no-referrer')
  }
})
