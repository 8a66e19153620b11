// The peer @node-oauth/oauth2-server with access tokens that are JWTs, its model in memory or on PostgreSQL (DATABASE_URL).
import { createHash, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto'
import { createServer, type ServerResponse } from 'node:http'
import OAuth2Server from '@node-oauth/oauth2-server'
import { generateKeyPair, SignJWT } from 'jose'
import { ACCOUNT_ID, AUDIENCE, CLIENT_ID, CLIENT_SECRET, SCOPE } from '../token/application.ts'
import { answerMessages, listen } from './listen.ts'
import { openRefreshTokens, type RefreshTokens, type Saved } from './oauth2-server-postgres.ts'

const ISSUER = 'http://localhost:4000/oidc'
const LIFETIME_SECONDS = 3_600
const algorithm = process.env['ALGORITHM'] === 'RS256' ? 'RS256' : 'ES256'
const databaseUrl = process.env['DATABASE_URL']

type Client = { id: string; grants: string[] }
type Person = { id: string; name?: string; nickname?: string; email?: string; role?: string }
type NewToken = { accessToken: string; refreshToken?: string; refreshTokenExpiresAt?: Date; scope: string[] }

const { privateKey } = await generateKeyPair(algorithm)
const secretHash = createHash('sha256').update(CLIENT_SECRET).digest()
const refreshTokens: RefreshTokens | null = databaseUrl === undefined ? null : await openRefreshTokens(databaseUrl)

function sign(claims: Record<string, unknown>, typ: string, subject: string, audience: string | string[]) {
  return new SignJWT(claims)
    .setProtectedHeader({ alg: algorithm, typ, kid: 'bench' })
    .setIssuer(ISSUER)
    .setSubject(subject)
    .setAudience(audience)
    .setIssuedAt()
    .setExpirationTime(`${LIFETIME_SECONDS}s`)
    .sign(privateKey)
}

/** As its documentation asks for; an access token that verifies itself is not stored. */
const model = {
  getClient: async (id: string, secret: string): Promise<Client | null> => {
    const given = createHash('sha256').update(secret).digest()
    if (id !== CLIENT_ID || !timingSafeEqual(given, secretHash)) return null
    return { id, grants: ['client_credentials', 'refresh_token'] }
  },
  getUserFromClient: async ({ id }: Client): Promise<Person> => ({ id: `app:${id}` }),
  validateScope: async (_: Person, __: Client, scope: string[]) => scope,
  generateAccessToken: (client: Client, { id }: Person, scope: string[]) =>
    sign({ jti: randomUUID(), azp: client.id, client_id: client.id, scope: scope.join(' ') }, 'at+jwt', id, [
      AUDIENCE,
      client.id,
    ]),
  generateRefreshToken: async () => randomBytes(32).toString('base64url'),
  getRefreshToken: async (token: string) => {
    const found = await refreshTokens?.find(token)
    return found && { ...found, refreshToken: token, client: { id: found.clientId } }
  },
  revokeToken: async ({ refreshToken }: { refreshToken: string }) => refreshTokens?.revoke(refreshToken) ?? false,
  // The person's claims go into an ID token, as in every other answer that is measured here.
  saveToken: async (token: NewToken, client: Client, user: Person) => {
    const { refreshToken, refreshTokenExpiresAt, scope } = token
    if (refreshToken === undefined || refreshTokenExpiresAt === undefined) return { ...token, client, user }
    const { id, ...claims } = user
    const saved: Saved = { clientId: client.id, userId: id, scope, refreshTokenExpiresAt }
    await refreshTokens?.save(refreshToken, saved)
    return { ...token, client, user, id_token: await sign(claims, 'JWT', id, client.id) }
  },
}

const oauth = new OAuth2Server({
  model,
  accessTokenLifetime: LIFETIME_SECONDS,
  refreshTokenLifetime: LIFETIME_SECONDS,
  allowExtendedTokenAttributes: true,
})

async function answer(method: string, headers: object, text: string, reply: ServerResponse): Promise<void> {
  const body = Object.fromEntries(new URLSearchParams(text))
  const response = new OAuth2Server.Response()
  await oauth.token(new OAuth2Server.Request({ method, headers, query: {}, body }), response).catch(() => {})
  const json = JSON.stringify(response.body)
  reply.writeHead(response.status ?? 200, {
    ...response.headers,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(json),
  })
  reply.end(json)
}

/** First refresh tokens, as a password or code exchange would leave them. */
async function mintRefreshToken(): Promise<string> {
  const token = await model.generateRefreshToken()
  const refreshTokenExpiresAt = new Date(Date.now() + LIFETIME_SECONDS * 1_000)
  await refreshTokens?.save(token, {
    clientId: CLIENT_ID,
    userId: ACCOUNT_ID,
    scope: SCOPE.split(' '),
    refreshTokenExpiresAt,
  })
  return token
}

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on(
    'end',
    () => void answer(request.method ?? '', request.headers, Buffer.concat(chunks).toString(), response),
  )
})
answerMessages(await listen(server), async (count) =>
  Promise.all(Array.from({ length: Number(count) }, mintRefreshToken)),
)
