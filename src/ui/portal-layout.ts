import { type Desk, deskEntryPage, deskErrorPage, deskPage } from './desk-layout.ts'
import type { ShownError } from './error-page.ts'
import { type Content, html, type Markup } from './html.ts'

const PORTAL: Desk = {
  at: '/portal',
  name: 'Developers',
  wayBack: 'Go to the portal',
  tabsLabel: 'Portal',
  documentation: '/docs',
  barClass: '',
}

export function portalEntryPage(title: string, content: Content): Markup {
  return deskEntryPage(PORTAL, title, content)
}

export function portalErrorPage(error: ShownError, requestId: string): Markup {
  return deskErrorPage(PORTAL, error, requestId)
}

export type PortalPlace = 'applications' | 'requests' | 'debugger' | 'team' | 'audit' | 'account' | null

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
  const { csrf, person, place } = frame
  return deskPage(PORTAL, title, { csrf, person, place, tabs: tabsOf(frame.team), middle: teamSwitch(frame) }, content)
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

type Tab = [place: Exclude<PortalPlace, null>, href: string, label: string]

function tabsOf(team: PortalFrame['team']): Tab[] {
  const account: Tab = ['account', '/portal/account', 'Your account']
  if (team === null) return [account]
  const at = `/portal/teams/${team.id}`
  return [
    ['applications', `${at}/applications`, 'Applications'],
    ['requests', `${at}/requests`, 'Requests'],
    ['debugger', `${at}/debugger`, 'Signatures'],
    ['team', at, 'Team'],
    ['audit', `${at}/audit`, 'Audit log'],
    account,
  ]
}
