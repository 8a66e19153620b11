import { startTokenScene } from '../../harness/token-scene.ts'
import { AUDIENCE, CALLBACK, type Client, type Side } from './side.ts'

export async function startOurSide(): Promise<Side> {
  const scene = await startTokenScene()
  const redirectUris = [CALLBACK]
  const clients: Record<keyof Side['clients'], Client> = {
    web: await scene.application({ redirectUris }),
    otherWeb: await scene.application({ redirectUris }),
    machine: await scene.application({ type: 'machine', clientCredentials: true }),
    notEnabled: await scene.application({ type: 'machine' }),
    spa: await scene.application({ type: 'spa', redirectUris }),
  }
  const oidc = `${scene.url}/oidc`
  return {
    endpoints: {
      token: `${oidc}/oauth/token`,
      introspect: `${oidc}/oauth/introspect`,
      revoke: `${oidc}/oauth/revoke`,
      userinfo: `${oidc}/userinfo`,
    },
    clients,
    code: ({ client, redirectUri = 'sent', challenge, scope = 'openid email offline_access' }) =>
      scene.code(clients[client], {
        redirectUri: redirectUri === 'sent' ? CALLBACK : null,
        codeChallenge: challenge ?? null,
        scope: scope.split(' '),
        audience: AUDIENCE,
      }),
    stop: () => scene.service.stop(),
  }
}
