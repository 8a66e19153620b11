import type { Application } from '../../domain/applications/application.ts'
import type { Environment } from '../../domain/environment.ts'
import type { Audiences } from '../../domain/tokens/audience.ts'

/** An application's own values, as snippets need them. The client secret is not among them: a shell variable stands for it. */
export type QuickValues = {
  application: Application
  issuer: string
  apiUrl: string
  /** What the snippets use: sandbox, unless the application may not. */
  environment: Environment
  audience: string
  redirectUri: string | null
  /** Everything that the application may ask for, a refresh token included. */
  scope: string
}

export function quickValues(
  application: Application,
  { authUrl, baseUrl, audiences }: { authUrl: string; baseUrl: string; audiences: Audiences },
): QuickValues {
  const environment = application.environments.includes('sandbox') ? 'sandbox' : 'production'
  return {
    application,
    issuer: `${authUrl}/oidc`,
    apiUrl: `${baseUrl}/api/v2/public`,
    environment,
    audience: audiences[environment],
    redirectUri: application.redirectUris[0] ?? null,
    scope: ['openid', 'profile', 'email', 'offline_access', ...application.apiScopes].join(' '),
  }
}

/** Whether people sign in to it at all. */
export function signsPeopleIn({ application }: QuickValues): boolean {
  return application.type !== 'machine'
}

export function hasSecret({ application }: QuickValues): boolean {
  return application.tokenEndpointAuthentication !== 'none'
}
