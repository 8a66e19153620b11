import { TEAM_ROLES, type TeamRole } from '../../domain/teams/team.ts'
import { choice } from '../../ui/choice.ts'
import { html, type Markup } from '../../ui/html.ts'

const WORDS: Record<TeamRole, { label: string; hint: string }> = {
  owner: { label: 'Owner', hint: 'Also invites and sets roles' },
  developer: { label: 'Developer', hint: 'Works on the team’s integrations' },
  'read-only': { label: 'Read-only', hint: 'Sees the team, changes nothing' },
}

export function roleInWords(role: TeamRole): string {
  return WORDS[role].label
}

export function roleTag(role: TeamRole): Markup {
  return html`<span class="tag${role === 'owner' && ' good'}">${WORDS[role].label}</span>`
}

export function roleChoice(value: TeamRole | null, error: string | undefined): Markup {
  const options = TEAM_ROLES.toReversed().map((role) => ({ value: role, ...WORDS[role] }))
  return choice({ name: 'role', legend: 'Role', options, value, error })
}
