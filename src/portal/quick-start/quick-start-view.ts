import { card } from '../../ui/card.ts'
import { html, type Markup } from '../../ui/html.ts'
import { snippet } from '../../ui/snippet.ts'
import { eventCatalogue } from './event-catalogue-view.ts'
import { NODE_RECEIVER, nodeApi, nodeSignIn } from './node-snippets.ts'
import { PYTHON_RECEIVER, pythonApi } from './python-snippets.ts'
import { listDeliveries, registerWebhook, sandboxEvent } from './shell-snippets.ts'
import { prepareCard, tokenCard } from './token-cards-view.ts'
import { type QuickValues, signsPeopleIn } from './values.ts'

export function quickStartContent(values: QuickValues, at: string): Markup {
  return html`<p class="lead">From nothing to a verified webhook, with this application’s own values filled in.</p>
${contents()}
${valuesCard(values)}
${prepareCard(values, { at })}
${tokenCard(values, { at })}
${webhookCard(values, at)}
${receiveCard(at)}
${nodeCard(values)}
${pythonCard(values)}
${eventCatalogue(values.environment)}`
}

function contents(): Markup {
  const links: Array<[id: string, label: string]> = [
    ['prepare', 'Terminal'],
    ['token', 'Token'],
    ['webhook', 'Webhook'],
    ['receive', 'Verify'],
    ['node', 'Node'],
    ['python', 'Python'],
    ['events', 'Events'],
  ]
  return html`<nav class="contents" aria-label="On this page"><ul>${links.map(
    ([id, label]) => html`<li><a href="#${id}">${label}</a></li>`,
  )}</ul></nav>`
}

function valuesCard({ application, issuer, apiUrl, environment, audience }: QuickValues): Markup {
  return card(
    'values',
    'Your values',
    html`<dl class="facts">
<dt>Client ID</dt><dd><code>${application.id}</code></dd>
<dt>Issuer</dt><dd><code>${issuer}</code></dd>
<dt>Public API</dt><dd><code>${apiUrl}</code></dd>
<dt>Audience, ${environment}</dt><dd><code>${audience}</code></dd>
</dl>
${environment === 'production' && html`<p class="note">This application may not use the sandbox: what follows happens in production.</p>`}`,
  )
}

function webhookCard(values: QuickValues, at: string): Markup {
  const isSandbox = values.environment === 'sandbox'
  return card(
    'webhook',
    '3. Register a webhook',
    html`<p class="faint">Set <code>WEBHOOK_URL</code> to where your receiver is reachable. The answer has the secret that you verify with; you can also <a href="${at}/${values.environment}/webhooks">see and manage webhooks here</a>.</p>
${snippet('the webhook', registerWebhook(values))}
${
  isSandbox &&
  html`<p>Make an event happen. It reaches the webhooks of this application alone, marked as a test.</p>
${snippet('the event', sandboxEvent(values))}`
}
<p>See what became of it:</p>
${snippet('the deliveries', listDeliveries(values))}`,
  )
}

function receiveCard(at: string): Markup {
  return card(
    'receive',
    '4. Receive and verify',
    html`<p class="faint">Every request is signed as <a href="https://www.standardwebhooks.com" rel="noreferrer">Standard Webhooks</a> has it. Put the webhook’s secret, which begins with <code>whsec_</code>, into <code>WEBHOOK_SECRET</code>. It does not fit? The <a href="${at.replace(/\/applications\/.*$/, '/debugger')}">signature debugger</a> says which step fails.</p>
<h3>Node</h3>
<p class="faint"><code>npm install standardwebhooks</code>, then <code>WEBHOOK_SECRET=… node receiver.mjs</code></p>
${snippet('the receiver in Node', NODE_RECEIVER)}
<h3>Python</h3>
<p class="faint"><code>WEBHOOK_SECRET=… python3 receiver.py</code></p>
${snippet('the receiver in Python', PYTHON_RECEIVER)}`,
  )
}

function nodeCard(values: QuickValues): Markup {
  return card(
    'node',
    'The same in Node',
    html`${
      signsPeopleIn(values) &&
      values.redirectUri !== null &&
      html`<h3>Sign in</h3>
<p class="faint"><code>npm install openid-client</code>, then <code>node sign-in.mjs</code></p>
${snippet('the sign-in in Node', nodeSignIn(values))}`
    }
<h3>Call the API</h3>
<p class="faint"><code>node api.mjs</code></p>
${snippet('the API in Node', nodeApi(values))}`,
  )
}

function pythonCard(values: QuickValues): Markup {
  return card(
    'python',
    'The same in Python',
    html`<p class="faint"><code>python3 api.py</code>, with nothing but the standard library.</p>
${snippet('the API in Python', pythonApi(values))}`,
  )
}
