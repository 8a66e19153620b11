import type { Application } from '../../domain/applications/application.ts'
import type { Audiences } from '../../domain/tokens/audience.ts'
import { card } from '../../ui/card.ts'
import { html, type Markup } from '../../ui/html.ts'

/** Everything that goes into an integrator's configuration. A library that is given the issuer finds the rest by itself. */
export function addressesCard(view: {
  application: Application
  authUrl: string
  baseUrl: string
  audiences: Audiences
}): Markup {
  const { application, authUrl, baseUrl, audiences } = view
  const issuer = `${authUrl}/oidc`
  const values: Array<[label: string, value: string]> = [
    ['Issuer', issuer],
    ['Discovery', `${issuer}/.well-known/openid-configuration`],
    ['Authorization', `${issuer}/authorize`],
    ['Token', `${issuer}/oauth/token`],
    ['User info', `${issuer}/userinfo`],
    ['Keys (JWKS)', `${issuer}/.well-known/jwks.json`],
    ['Logout', `${issuer}/logout`],
    ['Public API', `${baseUrl}/api/v2/public`],
    ...(application.environments.includes('sandbox')
      ? ([['Audience, sandbox', audiences.sandbox]] satisfies Array<[string, string]>)
      : []),
    ...(application.environments.includes('production')
      ? ([['Audience, production', audiences.production]] satisfies Array<[string, string]>)
      : []),
  ]
  return card(
    'addresses',
    'Addresses and audiences',
    html`<p class="faint">The audience that a token is asked for decides whether it is good for the sandbox or for production.</p>
<dl class="facts">${values.map(([label, value]) => html`<dt>${label}</dt><dd><code class="copy" data-copy>${value}</code></dd>`)}</dl>`,
  )
}
