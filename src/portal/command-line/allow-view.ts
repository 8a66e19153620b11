import type { ListedApplication } from '../../domain/applications/team-application-store.ts'
import { KEY_DAYS } from '../../domain/command-line/command-line-key.ts'
import { type CommandLineLogin, shownCode } from '../../domain/command-line/command-line-login.ts'
import { card } from '../../ui/card.ts'
import { choice } from '../../ui/choice.ts'
import { faultSummary } from '../../ui/fault-summary.ts'
import { button, field, form } from '../../ui/form.ts'
import { html, type Markup } from '../../ui/html.ts'
import { moment } from '../../ui/moment.ts'
import { typeInWords } from '../applications/type-words.ts'

export type AllowView = {
  csrf: string
  /** /portal/teams/…/command-line */
  at: string
  login: CommandLineLogin
  team: { id: string; name: string }
  /** Others in which they may allow it. */
  otherTeams: ReadonlyArray<{ id: string; name: string }>
  applications: readonly ListedApplication[]
  chosen: string | null
  faults: { application?: string }
}

export function allowContent(view: AllowView): Markup {
  return html`${faultSummary({ application: 'Application' }, view.faults)}
<div class="desk-head"><div><h1>Allow a command line?</h1>
<p class="lead">Somebody ran <code>handover login</code> and wants to work in the sandbox of an application of yours.</p></div></div>
${compareCard(view)}
${view.applications.length === 0 ? noApplicationCard(view) : allowCard(view)}`
}

function compareCard({ login }: AllowView): Markup {
  return card(
    'compare',
    'Compare the code',
    html`<p class="user-code"><code>${shownCode(login.userCode)}</code></p>
<p><strong>Allow it only if you started it yourself, just now, and your terminal shows this very code.</strong> Whoever
sends you here and asks you to allow something wants to use your application.</p>
<dl class="facts">
<dt>Computer</dt><dd>${login.name} <span class="faint">(as it calls itself)</span></dd>
<dt>From</dt><dd><code>${login.address}</code></dd>
<dt>Started</dt><dd>${moment(login.createdAt)}</dd>
</dl>`,
  )
}

function allowCard(view: AllowView): Markup {
  const { csrf, at, login, team, applications, chosen, faults } = view
  const options = applications.map(({ id, name, type }) => ({ value: id, label: name, hint: typeInWords(type) }))
  const only = applications.length === 1 ? applications[0] : undefined
  return card(
    'allow',
    html`An application of ${team.name}`,
    html`${otherTeamsNote(view)}
<p class="faint">For ${KEY_DAYS} days, or until you revoke it, that computer may do in the application’s sandbox what an access token may:
register, change and delete webhooks and see their secrets, see deliveries and send them again, and make events happen.
It reaches nothing in production, and none of the application’s settings and client secrets.</p>
${form(at, { csrf, code: shownCode(login.userCode) }, [
  choice({
    name: 'application',
    legend: 'Application',
    options,
    value: chosen ?? only?.id ?? null,
    error: faults.application,
  }),
  html`<div class="actions">${button('Allow', { name: 'decision', value: 'allow' })}${button('Deny', { name: 'decision', value: 'deny', kind: 'quiet' })}</div>`,
])}`,
  )
}

function noApplicationCard(view: AllowView): Markup {
  const { csrf, at, login, team } = view
  return card(
    'allow',
    html`${team.name} has no application`,
    html`${otherTeamsNote(view)}
<p>A command line works for one application. <a href="/portal/teams/${team.id}/applications/new">Create one</a>, then log in again.</p>
${form(at, { csrf, code: shownCode(login.userCode) }, html`<div class="actions">${button('Deny', { name: 'decision', value: 'deny', kind: 'quiet' })}</div>`)}`,
  )
}

function otherTeamsNote({ otherTeams, login }: AllowView): Markup | null {
  if (otherTeams.length === 0) return null
  const code = shownCode(login.userCode)
  return html`<p>Of another team: ${otherTeams.map(
    ({ id, name }, position) =>
      html`${position > 0 && ', '}<a href="/portal/teams/${id}/command-line?code=${code}">${name}</a>`,
  )}</p>`
}

export function askCodeContent({ at, typed, fault }: { at: string; typed: string; fault: string | null }): Markup {
  return html`${faultSummary({ code: 'Code' }, fault === null ? {} : { code: fault })}
<div class="desk-head"><div><h1>Command line</h1>
<p class="lead">Run <code>handover login</code>, and type the code that it shows.</p></div></div>
${card(
  'code',
  'Which login?',
  html`<form method="get" action="${at}" novalidate>
${field({
  name: 'code',
  label: 'Code',
  value: typed,
  autocomplete: 'off',
  maxlength: 20,
  hint: 'Eight letters, such as WDJB-MJHT.',
  error: fault ?? undefined,
})}
<div class="actions">${button('Continue')}</div>
</form>`,
)}`
}

export function noTeamContent(): Markup {
  return html`<div class="desk-head"><div><h1>Command line</h1></div></div>
<p class="note">You are in no team in which you may allow a command line. Ask an owner for the role of developer, or
<a href="/portal/teams/new">create a team</a>, then run <code>handover login</code> again.</p>`
}
