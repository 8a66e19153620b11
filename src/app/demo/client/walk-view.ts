import { card } from '../../../ui/card.ts'
import { button, form } from '../../../ui/form.ts'
import { type Content, html, type Markup } from '../../../ui/html.ts'
import { snippet } from '../../../ui/snippet.ts'
import { clientPage } from './client-layout.ts'
import { urlOf } from './request.ts'
import { beginAgain } from './start-view.ts'
import { requestMarkup, stepMarkup } from './step-view.ts'
import { codeInShell, codeRequest } from './token-request.ts'
import { type Asked, authorizeRequest, logoutRequest, type Tokens, type Walk } from './walk.ts'

export type WalkView = {
  walk: Walk
  /** Whom to sign in as. */
  person: string
  /** Where logout leads back to. */
  home: string
}

/** Everything that happened so far, and what comes next. */
export function walkPage(view: WalkView): Markup {
  const { flow, steps } = view.walk
  return clientPage(
    `${flow.title} · Demo client`,
    html`<div class="desk-head"><div><h1>${flow.title}</h1>
<p class="lead">${flow.lead}</p></div></div>
${steps.map((step, position) => stepMarkup(step, position + 1, position === steps.length - 1))}
${nextCard(view)}`,
  )
}

function nextCard(view: WalkView): Markup {
  const { walk } = view
  const { standing } = walk
  switch (standing.at) {
    case 'asking':
      return askCard(view, standing.asked)
    case 'code':
      return codeCard(walk, standing.code, standing.asked)
    case 'busy':
      return card(
        'next',
        'A request is under way',
        html`<p>Look again in a moment.</p>
<div class="actions"><a class="button" href="/demo/client/walk">Look again</a>${beginAgain()}</div>`,
      )
    case 'signed-in':
      return signedInCard(view, standing.tokens, standing.logoutState)
    case 'stopped':
      return card(
        'next',
        'An application stops here',
        html`<p>Something did not fit, so nothing of it is used. The portal’s request log says more about refused requests.</p>
<div class="actions">${beginAgain()}</div>`,
      )
  }
}

function askCard({ walk, person }: WalkView, asked: Asked): Markup {
  const request = authorizeRequest(walk, asked)
  return card(
    'next',
    'Next: send the browser to sign in',
    html`<p>The client sends the browser away with this address. Sign in there as <code>${person}</code> with the password that the banner shows (<code>DEMO_PASSWORD</code> in <code>data/demo.env</code>), and allow it.</p>
${requestMarkup(request, 'the request to authorize')}
${asked.verifier !== null && html`<p class="faint">The client keeps <code>code_verifier</code> to itself: <code>${asked.verifier}</code></p>`}
<div class="actions"><a class="button" href="${urlOf(request)}">Go and sign in</a>${beginAgain()}</div>`,
  )
}

function codeCard(walk: Walk, code: string, asked: Asked | null): Markup {
  const isPossible = asked !== null || !walk.flow.pkce
  return card(
    'next',
    'Next: exchange the code for tokens',
    html`${
      asked === null &&
      html`<p class="note alarm">Nothing in this browser asked for this code. Your application stops here; this one goes on, because you may have built the address by hand.${!isPossible && ' But it was asked for with PKCE elsewhere, and without the verifier it is worth nothing.'}</p>`
    }
<p>The code: <code data-copy="the code">${code}</code></p>
${
  isPossible &&
  html`${requestMarkup(codeRequest(walk, code, asked), 'the request for tokens')}
${form('/demo/client/exchange', { csrf: walk.csrf }, html`<div class="actions">${button('Exchange it')}${beginAgain()}</div>`)}
<h3>The same by hand</h3>
<p class="faint">In the folder where the service was started. A code works once: use the button or this, not both.</p>
${snippet('the exchange', codeInShell(walk, code, asked))}`
}
${!isPossible && html`<div class="actions">${beginAgain()}</div>`}`,
  )
}

function signedInCard({ walk, home }: WalkView, tokens: Tokens, logoutState: string): Markup {
  const logout = logoutRequest(walk, tokens, logoutState, home)
  const hidden = Object.fromEntries(logout.parameters.map(({ name, value }) => [name, value]))
  return html`${card(
    'next',
    'Signed in. What next?',
    html`<ul class="rows">
${row('Who is it?', 'GET userinfo with the access token.', stepForm(walk, 'userinfo', 'Ask userinfo'))}
${
  tokens.refreshToken === null
    ? row('New tokens', 'The implicit flow gives no refresh token: send the browser to sign in again.', null)
    : row('New tokens', 'POST to the token endpoint with the refresh token.', stepForm(walk, 'refresh', 'Renew them'))
}
</ul>`,
  )}${card(
    'logout',
    'Sign out',
    html`<p>Ends the session at the identity server, too. The browser posts this form, so that the ID token stands in no address. Refresh tokens outlive it: revoke them if they should not.</p>
${requestMarkup(logout, 'the request to log out')}
<form method="post" action="${logout.url}">${Object.entries(hidden).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<div class="actions">${button('Sign out', { kind: 'danger' })}${beginAgain()}</div></form>`,
  )}`
}

function row(title: string, says: string, action: Content): Markup {
  return html`<li><div><strong>${title}</strong><p>${says}</p></div>${action}</li>
`
}

function stepForm({ csrf }: Walk, name: string, label: string): Markup {
  return form(`/demo/client/${name}`, { csrf }, button(label, { kind: 'quiet' }))
}
