import { LONGEST_TEAM_NAME, type Membership } from '../../domain/teams/team.ts'
import { card } from '../../ui/card.ts'
import { button, field, form, notice } from '../../ui/form.ts'
import { html, type Markup } from '../../ui/html.ts'

export function newTeamContent(view: { csrf: string; typed: string; fault: string | null; isFirst: boolean }): Markup {
  const { csrf, typed, fault, isFirst } = view
  return html`<div class="desk-head"><div><h1>Create ${isFirst ? 'a' : 'another'} team</h1>
<p class="lead">${isFirst ? 'You are in no team at the moment. Create one, or ask somebody to invite you to theirs.' : 'For another company or project: its members and its log are its own.'}</p></div></div>
${card(
  'new-team',
  'The new team',
  form('/portal/teams/new', { csrf }, [
    teamNameField(typed, fault),
    html`<div class="actions">${button('Create the team')}${!isFirst && html`<a class="button quiet" href="/portal">Cancel</a>`}</div>`,
  ]),
)}`
}

export function renameContent(view: { csrf: string; team: Membership; typed: string; fault: string | null }): Markup {
  const { csrf, team, typed, fault } = view
  return html`<p class="crumb"><a href="/portal/teams/${team.id}">${team.name}</a></p>
<div class="desk-head"><h1>Rename the team</h1></div>
${card(
  'rename',
  'Its name',
  form(`/portal/teams/${team.id}/name`, { csrf }, [
    teamNameField(typed, fault),
    html`<div class="actions">${button('Save')}<a class="button quiet" href="/portal/teams/${team.id}">Cancel</a></div>`,
  ]),
)}`
}

export function leaveContent(view: { csrf: string; team: Membership; error: string | null }): Markup {
  const { csrf, team, error } = view
  return html`<p class="crumb"><a href="/portal/teams/${team.id}">${team.name}</a></p>
${error !== null && notice('error', error)}
<div class="desk-head"><h1>Leave ${team.name}?</h1></div>
${card(
  'leave',
  'What happens then',
  html`<p>You lose access to everything that is the team’s, at once. To come back, an owner has to invite you again.</p>
${form(`/portal/teams/${team.id}/leave`, { csrf }, html`<div class="actions">${button('Leave the team', { kind: 'danger' })}<a class="button quiet" href="/portal/teams/${team.id}">Stay</a></div>`)}`,
)}`
}

function teamNameField(value: string, fault: string | null): Markup {
  return field({
    name: 'name',
    label: 'Name of the team',
    value,
    autocomplete: 'organization',
    maxlength: LONGEST_TEAM_NAME,
    hint: 'Its members see it, and everybody whom they invite.',
    error: fault ?? undefined,
  })
}
