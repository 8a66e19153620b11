import { button, form } from '../../ui/form.ts'
import { html, type Markup } from '../../ui/html.ts'
import { page } from '../../ui/layout.ts'

export function confirmLogoutPage({ csrf, name, query }: { csrf: string; name: string; query: string }): Markup {
  return page(
    'Sign out',
    html`<h1>Sign out?</h1>
<p class="lead">You are signed in as <strong>${name}</strong> in this browser.</p>
${form('/oidc/logout/confirm', { csrf, query }, html`<div class="actions">${button('Sign out')}</div>`)}
<p class="aside"><a href="/oidc/account">Stay signed in</a></p>`,
  )
}

export function loggedOutPage(): Markup {
  return page(
    'Signed out',
    html`<h1>You are signed out</h1>
<p>You can close this page. Applications that you allowed to stay connected keep their access; you can take it back on
<a href="/oidc/account">your account page</a>.</p>`,
  )
}
