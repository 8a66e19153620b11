import { html, type Markup } from '../../ui/html.ts'
import { page } from '../../ui/layout.ts'
import type { KeptMail } from './mailbox.ts'

/** Every mail as its reader would get it: links can be followed, and a code is selected by one click. */
export function mailboxPage(mails: readonly KeptMail[]): Markup {
  return page(
    'Demo mailbox',
    html`<h1>Demo mailbox</h1>
<p class="lead">Mails that the service sent, whoever they are for. They stay on this machine and are gone when it stops.</p>
<p><a href="/demo/mailbox">Look again</a></p>
${mails.length === 0 && html`<p class="note">Nothing yet. Sign up, or ask for a new password, and look again.</p>`}
${mails.map(mailMarkup)}`,
  )
}

function mailMarkup({ to, subject, text, sentAt }: KeptMail): Markup {
  return html`<article class="mail">
<h2>${subject}</h2>
<p class="hint">to ${to}, <time datetime="${sentAt.toISOString()}">${sentAt.toISOString().slice(11, 19)} UTC</time></p>
<pre>${text.split(/(https?:\/\/\S+|^\d{6}$)/m).map(part)}</pre>
</article>
`
}

/** Every other part is a link or a code. */
function part(text: string, position: number): Markup | string {
  if (position % 2 === 0) return text
  return /^\d/.test(text) ? html`<strong class="code">${text}</strong>` : html`<a href="${text}">${text}</a>`
}
