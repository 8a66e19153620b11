// The peer: oidc-provider with JWT access tokens, in memory or on PostgreSQL (DATABASE_URL).
import { webcrypto } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { Provider } from 'oidc-provider'
import { ACCOUNT_ID, API_SCOPE, AUDIENCE, CALLBACK, CLIENT_ID, CLIENT_SECRET, SCOPE } from '../token/application.ts'
import { answerMessages, listen } from './listen.ts'
import { openPostgresAdapter } from './oidc-provider-postgres.ts'

const algorithm = process.env['ALGORITHM'] === 'RS256' ? 'RS256' : 'ES256'
const databaseUrl = process.env['DATABASE_URL']
const postgres = databaseUrl === undefined ? null : await openPostgresAdapter(databaseUrl)

async function privateJwk(parameters: webcrypto.RsaHashedKeyGenParams | webcrypto.EcKeyGenParams, alg: string) {
  const { privateKey } = await webcrypto.subtle.generateKey(parameters, true, ['sign', 'verify'])
  return {
    ...(await webcrypto.subtle.exportKey('jwk', privateKey)),
    alg,
    use: 'sig',
    key_ops: undefined,
    ext: undefined,
  }
}

const claims = { role: 'NURSE_USER', name: 'Bench Nurse', nickname: 'Nurse', email: 'nurse@example.com' }
const provider = new Provider('http://localhost:4000/oidc', {
  ...(postgres && { adapter: postgres.Adapter }),
  clients: [
    {
      client_id: CLIENT_ID,
      client_secret: CLIENT_SECRET,
      redirect_uris: [CALLBACK],
      grant_types: ['authorization_code', 'refresh_token', 'client_credentials'],
      token_endpoint_auth_method: 'client_secret_post',
      id_token_signed_response_alg: 'ES256',
    },
  ],
  jwks: {
    keys: [
      await privateJwk({ name: 'ECDSA', namedCurve: 'P-256' }, 'ES256'),
      await privateJwk(
        {
          name: 'RSASSA-PKCS1-v1_5',
          hash: 'SHA-256',
          modulusLength: 2048,
          publicExponent: new Uint8Array([1, 0, 1]),
        },
        'RS256',
      ),
    ],
  },
  cookies: { keys: ['bench'] },
  scopes: SCOPE.split(' '),
  claims: { openid: ['sub'], profile: ['name', 'nickname'], email: ['email'], role: ['role'] },
  // The contract wants the person's claims in the ID token.
  conformIdTokenClaims: false,
  rotateRefreshToken: true,
  findAccount: async (_: unknown, id: string) => {
    const known = postgres === null ? claims : await postgres.findClaims(id)
    return { accountId: id, claims: async () => ({ sub: id, ...known }) }
  },
  features: {
    devInteractions: { enabled: false },
    clientCredentials: { enabled: true },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => AUDIENCE,
      useGrantedResource: () => true,
      getResourceServerInfo: () => ({
        scope: API_SCOPE,
        accessTokenFormat: 'jwt',
        accessTokenTTL: 3_600,
        jwt: { sign: { alg: algorithm } },
      }),
    },
  },
  ttl: { AccessToken: 3_600, ClientCredentials: 3_600, RefreshToken: 3_600, Grant: 3_600, IdToken: 3_600 },
})

async function newGrant(): Promise<string> {
  const grant = new provider.Grant({ accountId: ACCOUNT_ID, clientId: CLIENT_ID })
  grant.addOIDCScope(SCOPE)
  grant.addResourceScope(AUDIENCE, API_SCOPE)
  return grant.save(3_600)
}

/** The page that asks for a password and for consent, without asking. It leaves a session and a grant that is found again. */
async function signIn(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const result = { login: { accountId: ACCOUNT_ID }, consent: { grantId: await newGrant() } }
  await provider.interactionFinished(request, response, result)
}

/** A grant and its first refresh token, as an authorization code exchange would leave them. */
async function mintRefreshToken(): Promise<string> {
  const grantId = await newGrant()
  const token = new provider.RefreshToken({
    accountId: ACCOUNT_ID,
    client: await provider.Client.find(CLIENT_ID),
    grantId,
    gty: 'authorization_code',
    authTime: Math.floor(Date.now() / 1_000),
    iiat: Math.floor(Date.now() / 1_000),
    resource: AUDIENCE,
    scope: SCOPE,
    sid: 'bench',
    rotations: 0,
  })
  return token.save()
}

let failures = 0
provider.on('server_error', (_, error) => {
  failures += 1
  if (failures === 1) console.error(error)
})
const answer = provider.callback()
const server = createServer((request, response) => {
  if (request.url?.startsWith('/interaction/')) void signIn(request, response)
  else answer(request, response)
})
answerMessages(await listen(server), async (count) =>
  Promise.all(Array.from({ length: Number(count) }, mintRefreshToken)),
)
