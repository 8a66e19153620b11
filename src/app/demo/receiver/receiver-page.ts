import { html, type Markup } from '../../../ui/html.ts'
import { page } from '../../../ui/layout.ts'
import type { Signature } from './check-webhook.ts'
import type { Received } from './received.ts'

/** Longer bodies are cut on the page; `/received` has them whole. */
const MOST_SHOWN = 20_000

export type ReceiverView = {
  /** Where webhooks are sent to. */
  url: string
  received: readonly Received[]
  /** The program text that checked the signatures. */
  checkedBy: string
}

/** Every request as it came, and whether it can be trusted. */
export function receiverPage({ url, received, checkedBy }: ReceiverView): Markup {
  return page(
    'Webhook receiver',
    html`<h1>Webhook receiver</h1>
<p class="lead">What came to ${url}, newest first. The last 200 stay on this machine and are gone when it stops.</p>
<p><a href="/">Look again</a> · <a href="#checked">How signatures are checked</a></p>
${received.length === 0 && emptyNote(url)}
${received.map(receivedMarkup)}
<section class="part" id="checked">
<h2>How signatures are checked</h2>
<p>These are the lines that checked what came here. Yours can be the same; <code>secret</code> is one of the webhook's, and any library for Standard Webhooks does it too.</p>
<pre class="listing">${checkedBy}</pre>
</section>
<section class="part">
<h2>Try failures</h2>
<p>The address of a webhook chooses the answer: <code>${url}/status/503</code> answers 503, <code>${url}/slow/3</code> answers after three seconds. <code>GET /received</code> has all of this as JSON, <code>GET /received?webhook=whk_…&amp;wait=5</code> what one webhook got, waiting for the first; <code>DELETE /received</code> forgets it.</p>
</section>`,
  )
}

function emptyNote(url: string): Markup {
  return html`<p class="note">Nothing yet. Register a webhook with the URL <code>${url}/hook</code>, make an event happen, and look again.</p>`
}

function receivedMarkup({ number, receivedAt, path, headers, body, signature, answered }: Received): Markup {
  return html`<article class="mail">
<h2>${typeOf(body) ?? 'Something else'} ${signatureTag(signature)}</h2>
<p class="hint">number ${number}, <time datetime="${receivedAt.toISOString()}">${receivedAt.toISOString().slice(11, 23)} UTC</time>, to <code>${path}</code>, answered ${answered}</p>
${signature.valid ? html`<p class="hint">signed by a secret of <code>${signature.webhookId}</code></p>` : html`<p class="error">${signature.reason}</p>`}
<pre class="listing">${Object.entries(headers).map(([name, value]) => `${name}: ${value}\n`)}</pre>
<pre class="listing">${pretty(body)}</pre>
</article>
`
}

function signatureTag({ valid }: Signature): Markup {
  return valid
    ? html`<span class="tag good">signature valid</span>`
    : html`<span class="tag bad">not to be trusted</span>`
}

function pretty(body: string): string {
  if (body === '') return '(no body)'
  const value = parsed(body)
  const text = value === undefined ? body : JSON.stringify(value, null, 2)
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}\n… ${text.length - MOST_SHOWN} characters more` : text
}

function typeOf(body: string): string | null {
  const value = parsed(body)
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
    ? value.type.slice(0, 100)
    : null
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}
