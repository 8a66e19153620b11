// The bare limit: parse the form, check the secret, sign the token, answer, and nothing else. It signs by WebCrypto, or with
// SIGNED_BY=handover the way we do, which is quicker with ES256: no server that signs in that way can do less.
import { createHash, generateKeyPairSync, randomBytes, timingSafeEqual, webcrypto } from 'node:crypto'
import { createServer, type ServerResponse } from 'node:http'
import { KEY_PARAMETERS, signJwt } from '../../src/platform/jwt.ts'
import { API_SCOPE, AUDIENCE, CLIENT_ID, CLIENT_SECRET } from '../token/application.ts'
import { answerMessages, listen } from './listen.ts'

const algorithm = process.env['ALGORITHM'] === 'RS256' ? 'RS256' : 'ES256'
const { privateKey } =
  algorithm === 'RS256'
    ? generateKeyPairSync('rsa', { modulusLength: 2048 })
    : generateKeyPairSync('ec', { namedCurve: 'P-256' })
const cryptoKey = privateKey.toCryptoKey(KEY_PARAMETERS[algorithm], false, ['sign'])
const signature = algorithm === 'RS256' ? 'RSASSA-PKCS1-v1_5' : { name: 'ECDSA', hash: 'SHA-256' }
const header = Buffer.from(JSON.stringify({ alg: algorithm, typ: 'at+jwt', kid: 'bare' })).toString('base64url')
const secretHash = createHash('sha256').update(CLIENT_SECRET).digest()

const sign = process.env['SIGNED_BY'] === 'handover' ? signAsWeDo : signByWebCrypto

function signAsWeDo(claims: object): Promise<string> {
  return signJwt({ kid: 'bare', algorithm, key: privateKey }, 'at+jwt', claims)
}

async function signByWebCrypto(claims: object): Promise<string> {
  const content = `${header}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`
  const signed = await webcrypto.subtle.sign(signature, cryptoKey, Buffer.from(content))
  return `${content}.${Buffer.from(signed).toString('base64url')}`
}

function claimsOf(clientId: string): object {
  const now = Math.floor(Date.now() / 1_000)
  return {
    iss: 'http://localhost/oidc',
    sub: `app:${clientId}`,
    jti: randomBytes(16).toString('base64url'),
    aud: [AUDIENCE, clientId],
    azp: clientId,
    client_id: clientId,
    scope: API_SCOPE,
    iat: now,
    exp: now + 3_600,
  }
}

async function answer(body: string, response: ServerResponse): Promise<void> {
  const form = new URLSearchParams(body)
  const given = createHash('sha256')
    .update(form.get('client_secret') ?? '')
    .digest()
  const known = form.get('client_id') === CLIENT_ID && timingSafeEqual(given, secretHash)
  const reply = known
    ? { access_token: await sign(claimsOf(CLIENT_ID)), token_type: 'Bearer', expires_in: 3_600, scope: API_SCOPE }
    : { error: 'invalid_client' }
  const text = JSON.stringify(reply)
  response.writeHead(known ? 200 : 401, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
  })
  response.end(text)
}

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => void answer(Buffer.concat(chunks).toString(), response))
})
answerMessages(await listen(server), async () => null)
