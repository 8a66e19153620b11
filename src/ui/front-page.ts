import { html, type Markup } from './html.ts'
import { page } from './layout.ts'

/** What somebody sees who opens the bare address. */
export function frontPage(addresses: { issuer: string; baseUrl: string; demo: boolean }): Markup {
  return page(
    'Identity and webhooks',
    html`<h1>Identity and webhooks for partners</h1>
<p>This is the partner integration service of a staffing marketplace: it signs people in, gives integrators their tokens,
and tells them about shifts and facilities.</p>
${addresses.demo && html`<p class="note">Demo mode: the seeded people and applications are in <code>data/demo.env</code>, <a href="/demo/client">the demo client</a> signs them in step by step, and mails arrive in <a href="/demo/mailbox">the demo mailbox</a>.</p>`}
<p class="actions"><a class="button" href="/portal">Developer portal</a> <a class="button quiet" href="/docs">Documentation</a></p>
<dl class="facts">
<dt>Issuer</dt><dd><code>${addresses.issuer}</code></dd>
<dt>Public API</dt><dd><code>${addresses.baseUrl}/api/v2/public</code></dd>
<dt>Ready?</dt><dd><a href="/readyz">/readyz</a></dd>
</dl>`,
  )
}
