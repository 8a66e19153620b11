import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import { assertError, textOf } from '../harness/answer.ts'
import { startTokenScene } from '../harness/token-scene.ts'

const scene = await startTokenScene()
after(scene.service.stop)

const challengeOf = (verifier: string) => createHash('sha256').update(verifier).digest('base64url')
const verifier = randomBytes(32).toString('base64url')

for (const type of ['spa', 'native'] as const) {
  test(`200 for a ${type} application with client_id, code and code_verifier, without a secret`, async () => {
    const application = await scene.application({ type })
    const code = await scene.code(application, { codeChallenge: challengeOf(verifier) })
    const answer = await scene.exchange(application, code, { code_verifier: verifier })
    assert.equal(answer.status, 200, answer.text)
    assert.ok(textOf(answer, 'id_token') && textOf(answer, 'access_token') && textOf(answer, 'refresh_token'))
  })
}

test('200 without refresh_token when offline_access was not asked for', async () => {
  const application = await scene.application({ type: 'spa' })
  const code = await scene.code(application, { codeChallenge: challengeOf(verifier), scope: ['openid'] })
  const answer = await scene.exchange(application, code, { code_verifier: verifier })
  assert.equal(answer.status, 200)
  assert.equal(answer.body['refresh_token'], undefined)
})

test('200 for a confidential application that used PKCE besides its secret', async () => {
  const application = await scene.application()
  const code = await scene.code(application, { codeChallenge: challengeOf(verifier) })
  assert.equal((await scene.exchange(application, code, { code_verifier: verifier })).status, 200)
})

test('200 for the shortest and the longest verifier, and every character that RFC 7636 4.1 allows', async () => {
  const application = await scene.application({ type: 'spa' })
  for (const allowed of ['a'.repeat(43), 'Z'.repeat(128), `-._~${'aZ09'.repeat(10)}`]) {
    const code = await scene.code(application, { codeChallenge: challengeOf(allowed) })
    assert.equal((await scene.exchange(application, code, { code_verifier: allowed })).status, 200)
  }
})

test('200 for the example of RFC 7636, appendix B', async () => {
  const application = await scene.application({ type: 'native' })
  const code = await scene.code(application, { codeChallenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM' })
  const given = { code_verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk' }
  assert.equal((await scene.exchange(application, code, given)).status, 200)
})

test('400 invalid_grant for a wrong, missing, too short or too long verifier, or the challenge itself; the code stays good', async () => {
  const application = await scene.application({ type: 'spa' })
  const code = await scene.code(application, { codeChallenge: challengeOf(verifier) })
  for (const wrong of [null, 'w'.repeat(43), verifier.slice(0, 42), `${verifier}=`, challengeOf(verifier), 'x']) {
    assertError(await scene.exchange(application, code, { code_verifier: wrong }), 400, 'invalid_grant')
  }
  assert.equal((await scene.exchange(application, code, { code_verifier: verifier })).status, 200)
})

test('400 invalid_grant for a verifier outside the rules of RFC 7636 4.1, even if the challenge is its hash', async () => {
  const application = await scene.application({ type: 'spa' })
  for (const bad of [
    'a'.repeat(42),
    'a'.repeat(129),
    `${'a'.repeat(42)}é`,
    `${'a'.repeat(42)} `,
    `${'a'.repeat(42)}\n`,
  ]) {
    const code = await scene.code(application, { codeChallenge: challengeOf(bad) })
    assertError(await scene.exchange(application, code, { code_verifier: bad }), 400, 'invalid_grant')
  }
})

test('400 invalid_grant: plain is not supported, so a verifier equal to the challenge proves nothing', async () => {
  const application = await scene.application({ type: 'spa' })
  const code = await scene.code(application, { codeChallenge: verifier })
  assertError(await scene.exchange(application, code, { code_verifier: verifier }), 400, 'invalid_grant')
})

test('401 invalid_client for a public application that sends a secret: it has none', async () => {
  const application = await scene.application({ type: 'spa' })
  const code = await scene.code(application, { codeChallenge: challengeOf(verifier) })
  const given = { code_verifier: verifier, client_secret: 'anything' }
  assertError(await scene.exchange(application, code, given), 401, 'invalid_client')
})
