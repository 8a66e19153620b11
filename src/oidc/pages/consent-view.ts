import type { Environment } from '../../domain/environment.ts'
import { button, form } from '../../ui/form.ts'
import { html, type Markup } from '../../ui/html.ts'
import { page } from '../../ui/layout.ts'
import { scopeInWords } from './scope-words.ts'

export type ConsentView = {
  interaction: string
  csrf: string
  applicationName: string
  logoUrl: string | null
  personName: string
  personEmail: string
  scope: readonly string[]
  environment: Environment | null
}

const WHERE: Record<Environment, string> = {
  production: 'This is about your real data.',
  sandbox: 'This is about the sandbox: test data, not your real shifts.',
}

export function consentPage(view: ConsentView): Markup {
  return page(
    'Allow access',
    html`${view.logoUrl !== null && html`<img class="logo" src="${view.logoUrl}" alt="" width="64" height="64">`}
<h1>Allow ${view.applicationName}?</h1>
<p class="lead">You are signed in as <strong>${view.personName}</strong> (${view.personEmail}).</p>
<p>${view.applicationName} would like to:</p>
<ul class="allow">${scopeInWords(view.scope).map((words) => html`<li>${words}</li>`)}</ul>
${view.environment !== null && html`<p class="note environment-${view.environment}">${WHERE[view.environment]}</p>`}
${form('/oidc/consent', { interaction: view.interaction, csrf: view.csrf }, [
  html`<div class="actions">${button('Allow', { name: 'decision', value: 'allow' })}${button('Do not allow', { name: 'decision', value: 'deny', kind: 'quiet' })}</div>`,
])}
<p class="aside">You can take this back at any time on <a href="/oidc/account">your account page</a>.</p>`,
  )
}
