import type { Application } from '../../domain/applications/application.ts'
import { card } from '../../ui/card.ts'
import { html, type Markup } from '../../ui/html.ts'

type State = 'on' | 'off' | 'incomplete'
type Way = { name: string; about: string; state: State; change: { href: string; label: string } | null }

/** Each way to a token, whether it is on, and who can change that (decision B7). */
export function grantsCard({ application, path }: { application: Application; path: string }): Markup {
  const { type, implicit, clientCredentials, passwordGrant, redirectUris } = application
  const settings = { href: `${path}/settings`, label: 'Settings' }
  const support = { href: `${path}/support`, label: 'Ask support' }
  const signsIn: Way[] = [
    {
      name: 'Authorization code',
      about:
        redirectUris.length === 0
          ? 'People sign in. Needs a redirect URI first.'
          : 'People sign in and come back with a code.',
      state: redirectUris.length === 0 ? 'incomplete' : 'on',
      change: redirectUris.length === 0 ? settings : null,
    },
    {
      name: 'Refresh token',
      about: 'New tokens for people who are away, when offline_access was asked for.',
      state: 'on',
      change: null,
    },
    {
      name: 'Implicit',
      about: 'Tokens straight from the sign-in page. For old libraries; code with PKCE is better.',
      state: implicit ? 'on' : 'off',
      change: settings,
    },
  ]
  const ways: Way[] = [
    ...(type === 'machine' ? [] : signsIn),
    {
      name: 'Client credentials',
      about: 'Tokens for the application itself, without a person.',
      state: clientCredentials ? 'on' : 'off',
      change: clientCredentials ? null : support,
    },
    {
      name: 'Password',
      about: 'People type their password into the application. Only for highly trusted ones.',
      state: passwordGrant ? 'on' : 'off',
      change: passwordGrant ? null : support,
    },
  ]
  return card('grants', 'Ways to a token', html`<ul class="rows">${ways.map(row)}</ul>`)
}

function row({ name, about, state, change }: Way): Markup {
  return html`<li><div><strong>${name}</strong> ${tag(state)}<p>${about}</p></div>
${change !== null && html`<a href="${change.href}">${change.label}<span class="unseen"> about ${name}</span></a>`}</li>
`
}

function tag(state: State): Markup {
  switch (state) {
    case 'on':
      return html`<span class="tag good">on</span>`
    case 'off':
      return html`<span class="tag">off</span>`
    case 'incomplete':
      return html`<span class="tag bad">incomplete</span>`
  }
}
