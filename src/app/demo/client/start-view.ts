import { card } from '../../../ui/card.ts'
import { form, notice } from '../../../ui/form.ts'
import { html, type Markup } from '../../../ui/html.ts'
import { clientPage } from './client-layout.ts'
import { FLOWS, type Flow, type FlowName } from './flow.ts'

export type StartView = {
  issuer: string
  flows: Record<FlowName, Flow>
  notice: { kind: 'error' | 'done'; text: string } | null
}

export function startPage({ issuer, flows, notice: said }: StartView): Markup {
  return clientPage(
    'Demo client',
    html`<div class="desk-head"><div><h1>Demo client</h1>
<p class="lead">A small application that signs people in, one step at a time: every request as it is made, every token as it comes, every check as it has to be. It knows what any integrator knows: an issuer, a client id, a secret.</p></div></div>
${said !== null && notice(said.kind, said.text)}
${card('flows', 'Choose a way to sign in', html`<ul class="rows">${FLOWS.map((name) => flowRow(flows[name]))}</ul>`)}
${card(
  'knows',
  'What it knows',
  html`<dl class="facts">
<dt>Issuer</dt><dd><code>${issuer}</code></dd>
<dt>With a secret</dt><dd><code>${flows.secret.application.clientId}</code></dd>
<dt>Without</dt><dd><code>${flows.pkce.application.clientId}</code></dd>
</dl>`,
)}`,
  )
}

function flowRow({ name, title, lead }: Flow): Markup {
  return html`<li><div><strong>${title}</strong><p>${lead}</p></div>
${form('/demo/client/start', { flow: name }, html`<button type="submit" class="${name === 'pkce' ? 'primary' : 'quiet'}">Begin<span class="unseen"> ${title}</span></button>`)}</li>
`
}

/** What can be done from anywhere. */
export function beginAgain(): Markup {
  return html`<a class="button quiet" href="/demo/client">Begin again</a>`
}
