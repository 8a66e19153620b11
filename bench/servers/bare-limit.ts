// The bare limit: parse the form, check the secret, sign the token, answer. No server of any kind can do less.
import { createHash, randomBytes, timingSafeEqual, webcrypto } from 'node:crypto'
import { createServer, type ServerResponse } from 'node:http'
import { API_SCOPE, AUDIENCE, CLIENT_ID, CLIENT_SECRET } from '../token/application.ts'
import { answerMessages, listen } from './listen.ts'

const ALGORITHMS = {
  ES256: { sign: { name: 'ECDSA', hash: 'SHA-256' }, key: { name: 'ECDSA', namedCurve: 'P-256' } },
  RS256: {
    sign: { name: 'RSASSA-PKCS1-v1_5' },
    key: {
      name: 'RSASSA-PKCS1-v1_5',
      hash: 'SHA-256',
      modulusLength: 2048,
      publicExponent: new Uint8Array([1, 0, 1]),
    },
  },
}

const name = process.env['ALGORITHM'] === 'RS256' ? 'RS256' : 'ES256'
const algorithm = ALGORITHMS[name]
const { privateKey } = await webcrypto.subtle.generateKey(algorithm.key, false, ['sign', 'verify'])
const secretHash = createHash('sha256').update(CLIENT_SECRET).digest()
const header = Buffer.from(JSON.stringify({ alg: name, typ: 'at+jwt', kid: 'bare' })).toString('base64url')

async function sign(clientId: string): Promise<string> {
  const now = Math.floor(Date.now() / 1_000)
  const claims = {
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
  const signed = `${header}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`
  const signature = await webcrypto.subtle.sign(algorithm.sign, privateKey, Buffer.from(signed))
  return `${signed}.${Buffer.from(signature).toString('base64url')}`
}

async function answer(body: string, response: ServerResponse): Promise<void> {
  const form = new URLSearchParams(body)
  const given = createHash('sha256')
    .update(form.get('client_secret') ?? '')
    .digest()
  const known = form.get('client_id') === CLIENT_ID && timingSafeEqual(given, secretHash)
  const reply = known
    ? { access_token: await sign(CLIENT_ID), token_type: 'Bearer', expires_in: 3_600, scope: API_SCOPE }
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
