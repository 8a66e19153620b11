import { errorContent, type ShownError } from './error-page.ts'
import { button, form } from './form.ts'
import { type Content, html, type Markup } from './html.ts'
import { documentWith } from './layout.ts'

/** A page of the portal for whoever is not signed in yet: the same sheet of paper as the sign-in pages of people. */
export function portalEntryPage(title: string, content: Content): Markup {
  return documentWith(
    title,
    html`<header class="bar">${brand()}</header>
<main class="sheet">
${content}
</main>`,
  )
}

/** An error, and the way back. */
export function portalErrorPage(error: ShownError, requestId: string): Markup {
  return portalEntryPage(
    error.title,
    html`${errorContent(error, requestId)}
<p class="actions"><a class="button quiet" href="/portal">Go to the portal</a></p>`,
  )
}

export type PortalPlace = 'team' | 'audit' | 'account' | null

/** What stands around every page of somebody who is signed in. */
export type PortalFrame = {
  csrf: string
  person: string
  /** The team whose page this is, or the one they came from; null for somebody without a team. */
  team: { id: string; name: string } | null
  teams: ReadonlyArray<{ id: string; name: string; role: string }>
  place: PortalPlace
}

export function portalPage(title: string, frame: PortalFrame, content: Content): Markup {
  return documentWith(
    title,
    html`<a class="unseen skip" href="#content">Skip to the content</a>
<header class="bar portal-bar">
${brand()}
${teamSwitch(frame)}
<div class="bar-end">
<a href="/portal/account"${frame.place === 'account' && html` aria-current="page"`}>${frame.person}</a>
${form('/portal/sign-out', { csrf: frame.csrf }, button('Sign out', { kind: 'quiet' }))}
</div>
</header>
${tabs(frame)}
<main class="desk" id="content">
${content}
</main>`,
  )
}

function brand(): Markup {
  return html`<a class="brand" href="/portal">Handover <span>Developers</span></a>`
}

/** Opens without a script. */
function teamSwitch({ team, teams }: PortalFrame): Markup {
  return html`<details class="switch">
<summary><span class="unseen">Team: </span><span class="switch-name">${team?.name ?? 'No team'}</span></summary>
<div class="switch-list">
<ul>
${teams.map(
  (each) =>
    html`<li><a href="/portal/teams/${each.id}"${each.id === team?.id && html` aria-current="true"`}><span>${each.name}</span> <small>${each.role}</small></a></li>
`,
)}<li class="apart"><a href="/portal/teams/new">Create another team</a></li>
</ul>
</div>
</details>`
}

function tabs({ team, place }: PortalFrame): Markup {
  const links: Array<[place: PortalPlace, href: string, label: string]> = [
    ...(team === null
      ? []
      : ([
          ['team', `/portal/teams/${team.id}`, 'Team'],
          ['audit', `/portal/teams/${team.id}/audit`, 'Audit log'],
        ] satisfies Array<[PortalPlace, string, string]>)),
    ['account', '/portal/account', 'Your account'],
  ]
  return html`<nav class="tabs" aria-label="Portal">
<ul>
${links.map(
  ([name, href, label]) => html`<li><a href="${href}"${name === place && html` aria-current="page"`}>${label}</a></li>
`,
)}</ul>
</nav>`
}

/** A part of a page with a heading of its own. */
export function card(id: string, title: Content, content: Content, aside: Content = null): Markup {
  return html`<section class="card" aria-labelledby="${id}">
<div class="part-head"><h2 id="${id}">${title}</h2>${aside}</div>
${content}
</section>
`
}
