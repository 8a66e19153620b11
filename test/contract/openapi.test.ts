import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { publicApiDocument } from '../../src/public-api/openapi.ts'
import { ask } from '../harness/answer.ts'
import { startHandover } from '../harness/handover.ts'
import { jsonAt } from '../harness/openapi-document.ts'

const service = await startHandover()
after(service.stop)
const { url } = service

test('200 GET /openapi.json: the public API as it is here, for every origin, without a token', async () => {
  const { status, headers, text, body } = await ask(`${url}/openapi.json`)
  assert.equal(status, 200)
  assert.match(headers.get('content-type') ?? '', /^application\/json/)
  assert.equal(headers.get('access-control-allow-origin'), '*')
  assert.equal(headers.get('cache-control'), 'public, max-age=300')
  assert.equal(text, JSON.stringify(publicApiDocument(url, url)))
  assert.deepEqual(body['servers'], [{ url }])
})

test('200 GET /openapi.json: its OAuth flows are those of the identity server', async () => {
  const { body } = await ask(`${url}/openapi.json`)
  const discovery = (await ask(`${url}/oidc/.well-known/openid-configuration`)).body
  const flows = jsonAt(body, 'components', 'securitySchemes', 'oauth', 'flows')
  for (const flow of ['clientCredentials', 'authorizationCode']) {
    const { tokenUrl, scopes } = jsonAt(flows, flow)
    assert.equal(tokenUrl, discovery['token_endpoint'])
    const supported = discovery['scopes_supported']
    assert.ok(Array.isArray(supported) && Object.keys(jsonAt(scopes)).every((scope) => supported.includes(scope)))
  }
  assert.equal(jsonAt(flows, 'authorizationCode')['authorizationUrl'], discovery['authorization_endpoint'])
})

test('304 GET /openapi.json with the ETag of what is known', async () => {
  const known = (await ask(`${url}/openapi.json`)).headers.get('etag') ?? ''
  const answer = await ask(`${url}/openapi.json`, { headers: { 'if-none-match': known } })
  assert.equal(answer.status, 304)
  assert.equal(answer.text, '')
})
