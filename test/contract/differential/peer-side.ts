import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { errors, Provider } from 'oidc-provider'
import { newOpaqueSecret } from '../../../src/platform/opaque-secret.ts'
import { AUDIENCE, CALLBACK, type Client, type Side } from './side.ts'

const ACCOUNT = 'usr_peer'
const API_SCOPE = 'marketplace:read marketplace:write'
const SCOPES = `openid email offline_access ${API_SCOPE}`.split(' ')

const clients: Record<keyof Side['clients'], Client> = {
  web: { id: 'web', secret: newOpaqueSecret() },
  otherWeb: { id: 'other-web', secret: newOpaqueSecret() },
  machine: { id: 'machine', secret: newOpaqueSecret() },
  notEnabled: { id: 'not-enabled', secret: newOpaqueSecret() },
  spa: { id: 'spa', secret: null },
}

/** oidc-provider in memory, set to what the contract asks for as far as it has a setting. */
export async function startPeerSide(): Promise<Side> {
  const listener = createServer()
  await new Promise<void>((done) => listener.listen(0, '127.0.0.1', done))
  const address = listener.address()
  assert.ok(address !== null && typeof address === 'object')
  const issuer = `http://127.0.0.1:${address.port}`
  const provider = new Provider(issuer, configuration())
  listener.on('request', provider.callback())

  return {
    endpoints: {
      token: `${issuer}/token`,
      introspect: `${issuer}/token/introspection`,
      revoke: `${issuer}/token/revocation`,
      userinfo: `${issuer}/me`,
    },
    clients,

    async code({ client, challenge, scope = 'openid email offline_access' }) {
      const { id } = clients[client]
      const grant = new provider.Grant({ accountId: ACCOUNT, clientId: id })
      grant.addOIDCScope(scope)
      grant.addResourceScope(AUDIENCE, API_SCOPE)
      const code = new provider.AuthorizationCode({
        accountId: ACCOUNT,
        client: await provider.Client.find(id),
        grantId: await grant.save(3_600),
        // It always knows the one that was used, sent or not.
        redirectUri: CALLBACK,
        scope,
        ...(challenge !== undefined && { codeChallenge: challenge, codeChallengeMethod: 'S256' }),
      })
      return code.save()
    },

    stop: () =>
      new Promise((done) => {
        listener.closeAllConnections()
        listener.close(() => done())
      }),
  }
}

function registered(client: Client, grantTypes: string[]): object {
  return {
    client_id: client.id,
    ...(client.secret !== null && { client_secret: client.secret }),
    token_endpoint_auth_method: client.secret === null ? 'none' : 'client_secret_post',
    grant_types: grantTypes,
    response_types: grantTypes.includes('authorization_code') ? ['code'] : [],
    redirect_uris: grantTypes.includes('authorization_code') ? [CALLBACK] : [],
  }
}

function configuration(): Record<string, unknown> {
  const userFlow = ['authorization_code', 'refresh_token']
  return {
    clients: [
      registered(clients.web, userFlow),
      registered(clients.otherWeb, userFlow),
      registered(clients.machine, ['client_credentials']),
      registered(clients.notEnabled, userFlow),
      registered(clients.spa, userFlow),
    ],
    cookies: { keys: [newOpaqueSecret()] },
    scopes: SCOPES,
    claims: { openid: ['sub'], email: ['email'] },
    findAccount: (_: unknown, id: string) => ({ accountId: id, claims: () => ({ sub: id, email: 'a@example.com' }) }),
    rotateRefreshToken: true,
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      introspection: { enabled: true },
      revocation: { enabled: true },
      resourceIndicators: { enabled: true, getResourceServerInfo },
    },
    ttl: {
      AuthorizationCode: 60,
      AccessToken: 3_600,
      ClientCredentials: 3_600,
      RefreshToken: 3_600,
      IdToken: 3_600,
      Grant: 3_600,
    },
  }
}

function getResourceServerInfo(_: unknown, resource: string): object {
  if (resource !== AUDIENCE) throw new errors.InvalidTarget()
  return { scope: API_SCOPE }
}
