import { type Content, html, type Markup } from './html.ts'

export type ApplicationPlace =
  | 'overview'
  | 'settings'
  | 'secrets'
  | 'quick-start'
  | 'webhooks'
  | 'command-line'
  | 'support'

export type ApplicationFrame = {
  /** /portal/teams/…/applications/… */
  path: string
  application: { name: string; suspended: boolean }
  place: ApplicationPlace
  /** Of the page; null where it has nothing to do with either. */
  environment: 'production' | 'sandbox' | null
  /** Those that the application may use at all. */
  environments: ReadonlyArray<'production' | 'sandbox'>
  /** The page's own path behind the environment, which stays when the environment is switched. */
  within?: string
}

/** What stands around every page of one application: its name, its parts, and which of the two worlds one is in. */
export function applicationPage(frame: ApplicationFrame, content: Content): Markup {
  const { application, environment } = frame
  return html`<div class="desk-head"><div><h1>${application.name}</h1></div>
${application.suspended && html`<span class="tag bad">suspended by support</span>`}
${environment !== null && environmentSwitch(frame, environment)}</div>
${parts(frame)}
${environment === 'production' ? html`<div class="in-production">${content}</div>` : content}`
}

function parts({ path, place, environment }: ApplicationFrame): Markup {
  const links: Array<[place: ApplicationPlace, href: string, label: string]> = [
    ['overview', path, 'Overview'],
    ['quick-start', `${path}/quick-start`, 'Quick start'],
    ['webhooks', `${path}/${environment ?? 'sandbox'}/webhooks`, 'Webhooks'],
    ['settings', `${path}/settings`, 'Settings'],
    ['secrets', `${path}/secrets`, 'Client secrets'],
    ['command-line', `${path}/command-line`, 'Command line'],
    ['support', `${path}/support`, 'Ask support'],
  ]
  return html`<nav class="parts" aria-label="Application">
<ul>
${links.map(
  ([name, href, label]) => html`<li><a href="${href}"${name === place && html` aria-current="page"`}>${label}</a></li>
`,
)}</ul>
</nav>`
}

/** Two links and no form: each world has addresses of its own, so a page can be kept and sent to a colleague. */
function environmentSwitch(
  { path, environments, within = '/webhooks' }: ApplicationFrame,
  current: 'production' | 'sandbox',
): Markup {
  return html`<nav class="environments" aria-label="Environment">
<ul>
${environments
  .toSorted()
  .toReversed()
  .map(
    (
      each,
    ) => html`<li class="to-${each}"><a href="${path}/${each}${within}"${each === current && html` aria-current="true"`}>${each === 'sandbox' ? 'Sandbox' : 'Production'}</a></li>
`,
  )}</ul>
</nav>`
}
