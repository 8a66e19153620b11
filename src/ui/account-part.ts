import { type Content, html, type Markup } from './html.ts'

/** One thing of somebody's own account, below the way back to the account's page. */
export function accountPart(account: string, content: Content): Markup {
  return html`<p class="crumb"><a href="${account}">Your account</a></p>
<section class="card narrow">
${content}
</section>`
}
