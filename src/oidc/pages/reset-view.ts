import { button, field, form, notice } from '../../ui/form.ts'
import { html, type Markup } from '../../ui/html.ts'
import { page } from '../../ui/layout.ts'
import { mailboxNote } from '../../ui/mailbox-note.ts'

export type ResetView = { interaction: string; csrf: string; login: string; fault: string | null; error: string | null }

export function resetPage({ interaction, csrf, login, fault, error }: ResetView): Markup {
  return page(
    'Forgotten password',
    html`<h1>Forgotten your password?</h1>
<p class="lead">We mail you a link with which you choose a new one.</p>
${error !== null && notice('error', error)}
${form('/oidc/reset', { interaction, csrf }, [
  field({
    name: 'username',
    label: 'E-mail or username',
    value: login,
    autocomplete: 'username',
    maxlength: 254,
    error: fault ?? undefined,
  }),
  html`<div class="actions">${button('Send the link')}</div>`,
])}
<p class="aside"><a href="/oidc/login?interaction=${interaction}">Back to sign in</a></p>`,
  )
}

/** The same for everybody: whether there is an account is told by the mail alone (decision B22). */
export function resetSentPage(view: { interaction: string; login: string; mailboxUrl: string | null }): Markup {
  return page(
    'Check your mail',
    html`<h1>Check your mail</h1>
<p>If <strong>${view.login}</strong> belongs to an account, a mail with a link is on its way to its address. The link works once
and for 15 minutes.</p>
${mailboxNote(view.mailboxUrl)}
<p class="aside">Nothing there? Look among unwanted mail, or <a href="/oidc/reset?interaction=${view.interaction}">try again</a>.</p>
<p class="aside"><a href="/oidc/login?interaction=${view.interaction}">Back to sign in</a></p>`,
  )
}

export function resetOffPage(interaction: string): Markup {
  return page(
    'No new password here',
    html`<h1>Passwords cannot be reset here</h1>
<p>This service cannot send mail, so it cannot make sure that it is you. Ask the people who run it for help.</p>
<p class="aside"><a href="/oidc/login?interaction=${interaction}">Back to sign in</a></p>`,
  )
}
