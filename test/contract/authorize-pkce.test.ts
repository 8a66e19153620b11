import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import { assertError } from '../harness/answer.ts'
import { assertErrorArrives, CALLBACK, startAuthorizeScene } from '../harness/authorize-scene.ts'

const scene = await startAuthorizeScene()
after(scene.service.stop)

const spa = await scene.client({ type: 'spa', firstParty: true, implicit: true })
const web = await scene.client({ firstParty: true })
const browser = await scene.signedIn()
const verifier = randomBytes(32).toString('base64url')
const challenge = createHash('sha256').update(verifier).digest('base64url')
const S256 = { code_challenge: challenge, code_challenge_method: 'S256' }

for (const [what, application] of [
  ['a public application', spa],
  ['a confidential one', web],
] as const) {
  test(`${what}: the code is good only with the verifier`, async () => {
    const code = (await scene.arrive(browser, application, S256)).fields['code'] ?? ''
    const wrong = { redirect_uri: CALLBACK, code_verifier: randomBytes(32).toString('base64url') }
    assertError(await scene.exchange(application, code, wrong), 400, 'invalid_grant')
    assertError(await scene.exchange(application, code, { redirect_uri: CALLBACK }), 400, 'invalid_grant')
    const right = await scene.exchange(application, code, { redirect_uri: CALLBACK, code_verifier: verifier })
    assert.equal(right.status, 200, right.text)
  })

  test(`${what}: invalid_request for plain, another method, none, or a method alone`, async () => {
    for (const wrong of [
      { code_challenge: challenge, code_challenge_method: 'plain' },
      { code_challenge: challenge, code_challenge_method: 's256' },
      { code_challenge: challenge, code_challenge_method: 'S512' },
      { code_challenge: challenge },
      { code_challenge: challenge, code_challenge_method: '' },
      { code_challenge_method: 'S256' },
      { code_challenge: '', code_challenge_method: 'S256' },
    ]) {
      assertErrorArrives(scene, await scene.visit(browser, application, wrong), 'invalid_request')
    }
  })

  test(`${what}: invalid_request for a challenge that is no SHA-256`, async () => {
    for (const malformed of [
      challenge.slice(1),
      `${challenge}=`,
      `${challenge}a`,
      `+${challenge.slice(1)}`,
      'ü'.repeat(43),
    ]) {
      const answer = await scene.visit(browser, application, { ...S256, code_challenge: malformed })
      assertErrorArrives(scene, answer, 'invalid_request')
    }
  })
}

test('invalid_request for a public application without PKCE', async () => {
  for (const type of ['spa', 'native'] as const) {
    const application = await scene.client({ type })
    assertErrorArrives(scene, await scene.visit(browser, application), 'invalid_request')
  }
  const publicWeb = await scene.client({ tokenEndpointAuthentication: 'none' })
  assertErrorArrives(scene, await scene.visit(browser, publicWeb), 'invalid_request')
})

test('a confidential application may leave it out, and then a verifier is refused', async () => {
  const code = (await scene.arrive(browser, web)).fields['code'] ?? ''
  const unexpected = await scene.exchange(web, code, { redirect_uri: CALLBACK, code_verifier: verifier })
  assertError(unexpected, 400, 'invalid_grant')
  assert.equal((await scene.exchange(web, code, { redirect_uri: CALLBACK })).status, 200)
})

test('the implicit flow needs none', async () => {
  const asked = { response_type: 'id_token', response_mode: 'fragment' }
  assert.ok((await scene.arrive(browser, spa, asked)).fields['id_token'])
})
