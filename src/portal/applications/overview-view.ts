import type { Application } from '../../domain/applications/application.ts'
import { type LiveSecret, MOST_SECRETS } from '../../domain/applications/client-secret-store.ts'
import type { Sandbox } from '../../domain/sandboxes/sandbox-store.ts'
import { type Membership, may } from '../../domain/teams/team.ts'
import type { Audiences } from '../../domain/tokens/audience.ts'
import { card } from '../../ui/card.ts'
import { form } from '../../ui/form.ts'
import { html, type Markup } from '../../ui/html.ts'
import { moment } from '../../ui/moment.ts'
import { addressesCard } from './addresses-view.ts'
import { grantsCard } from './grants-view.ts'
import { typeAbout, typeInWords } from './type-words.ts'

export type OverviewView = {
  csrf: string
  /** /portal/teams/…/applications/… */
  path: string
  team: Membership
  application: Application
  done: Markup | null
  secrets: readonly LiveSecret[]
  sandbox: Sandbox
  authUrl: string
  baseUrl: string
  audiences: Audiences
}

export function overviewContent(view: OverviewView): Markup {
  return html`${view.done}
${nextSteps(view)}
${credentialsCard(view)}
${addressesCard(view)}
${grantsCard(view)}
${sandboxCard(view)}`
}

/** Only what stands in the way of the first token, and how to get it. */
function nextSteps({ path, team, application, secrets }: OverviewView): Markup | null {
  const steps = [
    application.type !== 'machine' &&
      application.redirectUris.length === 0 &&
      may(team.role, 'application.change') &&
      html`<li><a href="${path}/settings">Register a redirect URI</a>: where people come back to once they have signed in.</li>`,
    application.tokenEndpointAuthentication !== 'none' &&
      secrets.length === 0 &&
      may(team.role, 'secret.change') &&
      html`<li><a href="${path}/secrets">Make a client secret</a>: without one the application cannot prove itself.</li>`,
    application.type === 'machine' &&
      !application.clientCredentials &&
      may(team.role, 'support.ask') &&
      html`<li><a href="${path}/support">Ask support for client credentials</a>, which this type gets its tokens by.</li>`,
    secrets.every(({ lastUsedAt }) => lastUsedAt === null) &&
      html`<li><a href="${path}/quick-start">Run the quick start</a>: every line of it with this application’s own values.</li>`,
  ].filter((step) => step !== false)
  if (steps.length === 0) return null
  return html`<section class="note steps" aria-labelledby="next"><h2 id="next">What to do next</h2><ul>${steps}</ul></section>`
}

function credentialsCard({ path, application, secrets }: OverviewView): Markup {
  const keepsSecret = application.tokenEndpointAuthentication !== 'none'
  return card(
    'credentials',
    'Credentials',
    html`<dl class="facts">
<dt>Client ID</dt><dd><code class="copy" data-copy>${application.id}</code></dd>
<dt>Client secrets</dt><dd>${keepsSecret || secrets.length > 0 ? secretsInBrief(secrets, path) : 'None: what runs on people’s devices cannot keep one. Use PKCE.'}</dd>
<dt>Type</dt><dd>${typeInWords(application.type)}. ${typeAbout(application.type)}</dd>
</dl>`,
  )
}

function secretsInBrief(secrets: readonly LiveSecret[], path: string): Markup {
  const used = secrets.flatMap(({ lastUsedAt }) => lastUsedAt ?? []).toSorted((one, other) => +other - +one)[0]
  return html`<a href="${path}/secrets">${secrets.length} of ${MOST_SECRETS}</a>${
    secrets.length > 0 && (used === undefined ? ', not used yet' : html`, last used ${moment(used)}`)
  }`
}

function sandboxCard({ csrf, path, team, sandbox }: OverviewView): Markup {
  const { person, facilities, more } = sandbox
  return card(
    'sandbox',
    'To try it with',
    html`<p class="faint">Connected to this application in the sandbox. Nothing real happens there.</p>
<dl class="facts">
${facilities.map(({ id, name }) => html`<dt>${name}</dt><dd><code class="copy" data-copy>${id}</code></dd>`)}
${facilities.length === 0 && html`<dt>Facilities</dt><dd class="none">None is connected.</dd>`}
${more && html`<dt>More facilities</dt><dd class="none">Not all of them are shown here.</dd>`}
${
  person !== null &&
  html`<dt>Test person</dt><dd><code class="copy" data-copy>${person.email}</code></dd>
<dt>Their id</dt><dd><code class="copy" data-copy>${person.id}</code></dd>`
}
</dl>
${
  person !== null &&
  may(team.role, 'secret.change') &&
  html`<p class="faint">Their password was shown once. A new one also signs them out and turns off their second factor.</p>
${form(`${path}/test-person`, { csrf }, html`<div class="actions"><button type="submit" class="quiet">New password for the test person</button></div>`)}`
}`,
  )
}
