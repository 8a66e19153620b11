import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { ask, assertError, postForm } from '../harness/answer.ts'
import { PRODUCTION, startTokenScene } from '../harness/token-scene.ts'

const scene = await startTokenScene()
after(scene.service.stop)
const url = `${scene.url}/oidc/oauth/token`
const application = await scene.application({ clientCredentials: true })
const good = {
  grant_type: 'client_credentials',
  client_id: application.id,
  client_secret: application.secret,
  audience: PRODUCTION,
}
const FORM = 'application/x-www-form-urlencoded'
const send = (body: string | Buffer, type = FORM) =>
  ask(url, {
    method: 'POST',
    headers: { 'content-type': type },
    body: typeof body === 'string' ? body : new Uint8Array(body),
  })
const goodBody = new URLSearchParams(
  Object.entries(good).map(([name, value]): [string, string] => [name, value ?? '']),
).toString()

test('200 for the request that the others are changed from', async () => {
  assert.equal((await send(goodBody)).status, 200)
})

test('400 unsupported_grant_type for grant_type=code, with a text that names authorization_code', async () => {
  const answer = await postForm(url, { ...good, grant_type: 'code' })
  assertError(answer, 400, 'unsupported_grant_type')
  assert.match(String(answer.body['error_description']), /authorization_code/)
})

test('400 unsupported_grant_type for any other value', async () => {
  for (const grantType of ['implicit', 'Password', 'client_credentials ', 'toString', '__proto__', 'urn:x']) {
    assertError(await postForm(url, { ...good, grant_type: grantType }), 400, 'unsupported_grant_type')
  }
})

test('400 invalid_request without grant_type or client_id; an empty parameter counts as absent', async () => {
  for (const name of ['grant_type', 'client_id']) {
    for (const value of [null, '']) {
      const answer = await postForm(url, { ...good, [name]: value })
      assertError(answer, 400, 'invalid_request')
      assert.match(String(answer.body['error_description']), new RegExp(name))
    }
  }
})

test('400 invalid_request for a parameter sent twice, also with the same value, also an unknown one', async () => {
  for (const name of [...Object.keys(good), 'something']) {
    const answer = await send(`${goodBody}&${name}=x&${name}=x`)
    assertError(answer, 400, 'invalid_request')
    assert.match(String(answer.body['error_description']), new RegExp(`"${name}" was sent more than once`))
  }
})

test('200 with unknown parameters, which are ignored, and with empty ones', async () => {
  assert.equal((await send(`${goodBody}&something=else&code=&redirect_uri=`)).status, 200)
})

test('400 invalid_request for bytes that are no form in UTF-8: NUL, bad percent-encoding, invalid or raw UTF-8', async () => {
  for (const bad of ['x=%00', '%00=x', 'x=%zz', 'x=%', 'x=%ff', 'x=%c3%28', 'x=%ed%a0%80', 'x=%e2%82']) {
    assertError(await send(`${goodBody}&${bad}`), 400, 'invalid_request')
  }
  for (const bytes of [[0x00], [0xff], [0xc3, 0x28], [0xc3, 0xa9], [0x80]]) {
    const body = Buffer.concat([Buffer.from(`${goodBody}&x=`), Buffer.from(bytes)])
    assertError(await send(body), 400, 'invalid_request')
  }
})

test('415 for a body that is not form-encoded', async () => {
  for (const type of ['application/json', 'text/plain', 'multipart/form-data; boundary=x', 'application/xml', 'x']) {
    assertError(await send(JSON.stringify(good), type), 415, 'invalid_request')
  }
  const untyped = await ask(url, { method: 'POST', body: new Uint8Array(Buffer.from(goodBody)) })
  assertError(untyped, 415, 'invalid_request')
})

test('200 with a charset after the media type, and the type in any case', async () => {
  assert.equal((await send(goodBody, `${FORM}; charset=UTF-8`)).status, 200)
  assert.equal((await send(goodBody, 'Application/X-WWW-Form-Urlencoded')).status, 200)
})

test('405 with Allow for GET and every other method', async () => {
  for (const method of ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE']) {
    const answer = await ask(`${url}?${goodBody.replace('client_secret', 'x')}`, { method })
    assert.equal(answer.status, 405)
    assert.match(answer.headers.get('allow') ?? '', /\bPOST\b/)
    assert.doesNotMatch(answer.headers.get('allow') ?? '', /GET|HEAD|PUT|PATCH|DELETE/)
    if (method !== 'HEAD') assertError(answer, 405, 'invalid_request')
  }
})

test('413 for a body over 64 KiB, 200 for one just below', async () => {
  const fill = (size: number) => `${goodBody}&x=${'x'.repeat(size - goodBody.length - 3)}`
  assert.equal((await send(fill(64 * 1_024))).status, 200)
  assertError(await send(fill(64 * 1_024 + 1)), 413, 'invalid_request')
  assertError(await send(fill(1_000_000)), 413, 'invalid_request')
})

test('400 invalid_request with the secret in the URL, even if it is right and the body too', async () => {
  for (const query of [
    `client_secret=${application.secret}`,
    'client_secret=',
    'x=1&client_secret=y',
    'x=1?&client_secret=y',
    'client%5Fsecret=y',
  ]) {
    const answer = await postForm(`${url}?${query}`, good)
    assertError(answer, 400, 'invalid_request')
    assert.match(String(answer.body['error_description']), /never in the URL/)
  }
})

test('parameters in the URL count for nothing', async () => {
  const answer = await postForm(`${url}?grant_type=client_credentials`, { ...good, grant_type: null })
  assertError(answer, 400, 'invalid_request')
})

test('a refusal does not depend on what a browser asks for', async () => {
  const answer = await postForm(url, { grant_type: 'code' }, { accept: 'text/html' })
  assertError(answer, 400, 'unsupported_grant_type')
})
