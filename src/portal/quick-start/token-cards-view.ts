import { card } from '../../ui/card.ts'
import { type Content, html, type Markup } from '../../ui/html.ts'
import { snippet } from '../../ui/snippet.ts'
import {
  ASK_FOR_CODE,
  ASK_FOR_LOGIN,
  ASK_FOR_SECRET,
  clientCredentials,
  exchangeCode,
  openSignIn,
  passwordGrant,
  prepareShell,
  refresh,
  userinfo,
} from './shell-snippets.ts'
import { hasSecret, type QuickValues, signsPeopleIn } from './values.ts'

/** /portal/teams/…/applications/…, where settings, secrets and asking support are. */
type At = { at: string }

export function prepareCard(values: QuickValues, { at }: At): Markup {
  return card(
    'prepare',
    '1. Prepare a terminal',
    html`<p class="faint">Everything below goes into one bash or zsh, in this order. <code>pick</code> takes one value out of an answer.</p>
${snippet('the preparation', prepareShell(values))}
${
  hasSecret(values) &&
  html`<p>Your client secret stays out of what you copy: type it when you are asked. It was shown once; <a href="${at}/secrets">make another</a> if you do not have it.</p>
${snippet('the question for the secret', ASK_FOR_SECRET)}`
}`,
  )
}

/** One part for each grant that is on; those that are off are named with the way to get them. */
export function tokenCard(values: QuickValues, { at }: At): Markup {
  const { application } = values
  return card(
    'token',
    '2. Get a token',
    html`${signsPeopleIn(values) && signIn(values, { at })}
${
  application.clientCredentials &&
  (hasSecret(values)
    ? part(
        'client-credentials',
        'Client credentials: for the application itself',
        html`${snippet('client credentials', clientCredentials(values))}`,
      )
    : part(
        'client-credentials',
        'Client credentials: for the application itself',
        html`<p>They need a client secret, and this application has none by its settings. <a href="${at}/support?setting=token-authentication">Ask support</a>.</p>`,
      ))
}
${
  application.passwordGrant &&
  part(
    'password',
    'Password grant: a person’s e-mail and password',
    html`${snippet('the question for the password', ASK_FOR_LOGIN)}
${snippet('password grant', passwordGrant(values))}`,
  )
}
${
  (signsPeopleIn(values) || application.passwordGrant) &&
  part(
    'refresh',
    'Refresh: another token without asking the person',
    html`<p class="faint">For as long as <code>offline_access</code> was granted. ${
      application.refreshRotating
        ? 'Each refresh token works once: keep the new one that comes with the answer.'
        : 'The same refresh token works until it expires.'
    }</p>
${snippet('refresh', refresh(values))}
<p>Whose token it is:</p>
${snippet('userinfo', userinfo(values))}`,
  )
}
${notEnabled(values, { at })}`,
  )
}

function signIn(values: QuickValues, { at }: At): Markup {
  const { redirectUri } = values
  const title = hasSecret(values) ? 'Authorization code, with PKCE and your secret' : 'Authorization code, with PKCE'
  if (redirectUri === null)
    return part(
      'code',
      title,
      html`<p>First <a href="${at}/settings">register a redirect URI</a>: where people come back to after they signed in. Then the lines to copy stand here.</p>`,
    )
  const known = { ...values, redirectUri }
  return part(
    'code',
    title,
    html`${snippet('the way to the sign-in page', openSignIn(known))}
<p>Open the address that it prints and sign in. The browser ends at <code>${redirectUri}</code>; copy what stands there between <code>code=</code> and the next <code>&amp;</code>. It is good for a minute.</p>
${snippet('the question for the code', ASK_FOR_CODE)}
${snippet('authorization code', exchangeCode(known))}`,
  )
}

function notEnabled({ application }: QuickValues, { at }: At): Markup | null {
  const off = [
    !application.clientCredentials && { name: 'Client credentials', setting: 'client-credentials' },
    !application.passwordGrant && { name: 'Password grant', setting: 'password-grant' },
  ].filter((each) => each !== false)
  if (off.length === 0) return null
  return part(
    'off',
    'Not enabled',
    html`<p>${off.map(
      ({ name, setting }, position) =>
        html`${position > 0 && ', '}${name} (<a href="${at}/support?setting=${setting}">ask support</a>)`,
    )}.</p>`,
  )
}

function part(id: string, title: string, content: Content): Markup {
  return html`<section class="part" aria-labelledby="${id}"><h3 id="${id}">${title}</h3>
${content}</section>
`
}
