import type { Member, Membership } from '../../domain/teams/team.ts'
import { card } from '../../ui/card.ts'
import { button, form, notice } from '../../ui/form.ts'
import { html, type Markup } from '../../ui/html.ts'
import { day } from '../../ui/moment.ts'
import { roleChoice, roleTag } from './role-words.ts'

export type MemberView = {
  csrf: string
  team: Membership
  member: Member
  isMe: boolean
  faults: { role?: string; page?: string }
}

export function memberContent({ csrf, team, member, isMe, faults }: MemberView): Markup {
  const at = `/portal/teams/${team.id}/members/${member.id}`
  return html`<p class="crumb"><a href="/portal/teams/${team.id}">${team.name}</a></p>
${faults.page !== undefined && notice('error', faults.page)}
<div class="desk-head"><div><h1>${member.name} ${isMe && html`<span class="tag">you</span>`}</h1>
<p class="lead">${member.email} · ${roleTag(member.role)} since ${day(member.joinedAt)}</p></div></div>
${card(
  'change',
  'What they may do',
  form(`${at}/role`, { csrf }, [
    roleChoice(member.role, faults.role),
    html`<div class="actions">${button('Change the role')}<a class="button quiet" href="/portal/teams/${team.id}">Cancel</a></div>`,
  ]),
)}
${
  isMe
    ? card(
        'remove',
        'Leave the team',
        html`<p>You lose access to everything that is the team’s.</p><p class="actions"><a class="button quiet" href="/portal/teams/${team.id}/leave">Leave this team</a></p>`,
      )
    : card(
        'remove',
        'Remove from the team',
        html`<p>They lose access to everything that is the team’s, at once. Their account stays.</p>
${form(`${at}/remove`, { csrf }, html`<div class="actions"><button type="submit" class="danger">Remove ${member.name}</button></div>`)}`,
      )
}`
}
