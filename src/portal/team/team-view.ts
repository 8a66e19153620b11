import type { Invitation } from '../../domain/teams/invitation-store.ts'
import { type Member, type Membership, may, type TeamRole } from '../../domain/teams/team.ts'
import { card } from '../../ui/card.ts'
import { faultSummary } from '../../ui/fault-summary.ts'
import { button, field, form, notice } from '../../ui/form.ts'
import { html, type Markup } from '../../ui/html.ts'
import { mailboxNote } from '../../ui/mailbox-note.ts'
import { day } from '../../ui/moment.ts'
import { table } from '../../ui/table.ts'
import { roleChoice, roleTag } from './role-words.ts'

/** What was typed into the invitation, and what is wrong with it. */
export type InviteTyped = { email: string; role: TeamRole | null }
export type InviteFaults = { email?: string; role?: string; page?: string }

export type TeamView = {
  csrf: string
  team: Membership
  myId: string
  members: readonly Member[]
  invitations: readonly Invitation[]
  done: Markup | null
  typed: InviteTyped
  faults: InviteFaults
  /** Without mail nobody can be invited. */
  mail: boolean
  mailboxUrl: string | null
  authUrl: string
  baseUrl: string
}

export function teamContent(view: TeamView): Markup {
  const { team, members, faults } = view
  return html`${view.done}
${faults.page !== undefined && notice('error', faults.page)}
${faultSummary({ email: 'E-mail', role: 'Role' }, faults)}
<div class="desk-head"><div><h1>${team.name}</h1>
<p class="lead">${members.length === 1 ? '1 member' : `${members.length} members`} · you are ${roleTag(team.role)}</p></div>
${may(team.role, 'team.rename') && html`<a class="button quiet" href="/portal/teams/${team.id}/name">Rename</a>`}</div>
${nextSteps(view)}
${membersCard(view)}
${invitationsCard(view)}
${inviteCard(view)}
${addressesCard(view)}
<p class="aside"><a href="/portal/teams/${team.id}/leave">Leave this team</a></p>`
}

/** Only what can really be done now, and only what is not done yet. */
function nextSteps({ team, members, invitations, myId, mail }: TeamView): Markup | null {
  const alone = members.length === 1 && invitations.length === 0
  const steps = [
    members.some(({ id, twoFactor }) => id === myId && !twoFactor) &&
      html`<li><a href="/portal/account/two-factor/set-up">Turn on two-factor sign-in</a>, so that a stolen password is not enough.</li>`,
    alone &&
      mail &&
      may(team.role, 'member.invite') &&
      html`<li><a href="#invite">Invite a colleague</a>, so that the team does not depend on you alone.</li>`,
  ].filter((step) => step !== false)
  if (steps.length === 0) return null
  return html`<section class="note steps" aria-labelledby="next"><h2 id="next">What to do next</h2><ul>${steps}</ul></section>`
}

function membersCard({ team, myId, members }: TeamView): Markup {
  const manages = may(team.role, 'member.change')
  const rows = members.map(({ id, name, email, role, joinedAt, twoFactor }) => [
    html`<strong>${name}</strong>${id === myId && html` <span class="tag">you</span>`}<br><span class="faint">${email}</span>`,
    roleTag(role),
    day(joinedAt),
    // Whose account is easier to break into is for those to know who can do something about it.
    ...(manages
      ? [
          twoFactor ? html`<span class="tag good">on</span>` : html`<span class="tag">off</span>`,
          html`<a href="/portal/teams/${team.id}/members/${id}">Manage<span class="unseen"> ${name}</span></a>`,
        ]
      : []),
  ])
  const columns = ['Member', 'Role', 'Since', ...(manages ? ['Two-factor', ''] : [])]
  return card('members', 'Members', table({ caption: 'Members of the team', columns, rows }))
}

function invitationsCard({ csrf, team, invitations, mail }: TeamView): Markup | null {
  if (invitations.length === 0) return null
  const manages = may(team.role, 'member.invite')
  const path = `/portal/teams/${team.id}/invitations`
  const rows = invitations.map(({ id, email, role, expiresAt, expired }) => [
    html`<strong>${email}</strong>`,
    roleTag(role),
    expired ? html`<span class="tag bad">expired</span>` : html`until ${day(expiresAt)}`,
    ...(manages
      ? [
          html`<div class="row-actions">${
            mail &&
            form(
              `${path}/send-again`,
              { csrf, invitation: id },
              html`<button type="submit" class="quiet">Send again<span class="unseen"> to ${email}</span></button>`,
            )
          }${form(
            `${path}/withdraw`,
            { csrf, invitation: id },
            html`<button type="submit" class="danger">Withdraw<span class="unseen"> the invitation of ${email}</span></button>`,
          )}</div>`,
        ]
      : []),
  ])
  const columns = ['E-mail', 'Role', 'Link works', ...(manages ? [''] : [])]
  return card('invitations', 'Waiting for an answer', table({ caption: 'Pending invitations', columns, rows }))
}

function inviteCard({ csrf, team, typed, faults, mail, mailboxUrl }: TeamView): Markup | null {
  if (!mail || !may(team.role, 'member.invite')) return null
  return card(
    'invite',
    'Invite somebody',
    html`<p class="faint">They get a mail with a link that works once and for seven days.</p>
${mailboxNote(mailboxUrl)}
${form(`/portal/teams/${team.id}/invitations`, { csrf }, [
  field({
    name: 'email',
    label: 'E-mail',
    type: 'email',
    value: typed.email,
    autocomplete: 'off',
    inputmode: 'email',
    maxlength: 254,
    error: faults.email,
  }),
  roleChoice(typed.role, faults.role),
  html`<div class="actions">${button('Send the invitation')}</div>`,
])}`,
  )
}

/** What integrators build with; the same for every team. */
function addressesCard({ authUrl, baseUrl }: TeamView): Markup {
  return card(
    'addresses',
    'Addresses to build with',
    html`<dl class="facts">
<dt>Issuer</dt><dd><code>${authUrl}/oidc</code></dd>
<dt>Discovery</dt><dd><a href="${authUrl}/oidc/.well-known/openid-configuration"><code>${authUrl}/oidc/.well-known/openid-configuration</code></a></dd>
<dt>Public API</dt><dd><code>${baseUrl}/api/v2/public</code></dd>
<dt>OpenAPI</dt><dd><a href="${baseUrl}/openapi.json"><code>${baseUrl}/openapi.json</code></a></dd>
</dl>`,
  )
}
