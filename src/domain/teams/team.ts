import { textFault, tidy } from '../plain-text.ts'

export const TEAM_ROLES = ['owner', 'developer', 'read-only'] as const

export type TeamRole = (typeof TEAM_ROLES)[number]

export type Team = { id: string; name: string }

/** A team somebody is in, and as what. */
export type Membership = Team & { role: TeamRole }

export type Member = { id: string; name: string; email: string; role: TeamRole; joinedAt: Date; twoFactor: boolean }

/** What each role may do in its team. A page or a form of the portal names one of these, or it is not hung. */
const ALLOWED = {
  'team.see': ['owner', 'developer', 'read-only'],
  'team.leave': ['owner', 'developer', 'read-only'],
  'team.rename': ['owner'],
  'member.invite': ['owner'],
  'member.change': ['owner'],
  'audit.see': ['owner', 'developer', 'read-only'],
  'application.see': ['owner', 'developer', 'read-only'],
  'application.create': ['owner', 'developer'],
  'application.change': ['owner', 'developer'],
  'application.delete': ['owner'],
  'secret.change': ['owner', 'developer'],
  'key.change': ['owner', 'developer'],
  'support.ask': ['owner', 'developer'],
  'webhook.see': ['owner', 'developer', 'read-only'],
  'webhook.change': ['owner', 'developer'],
  'webhook.reveal': ['owner', 'developer'],
  'delivery.see': ['owner', 'developer', 'read-only'],
  'delivery.send': ['owner', 'developer'],
  'request.see': ['owner', 'developer', 'read-only'],
} as const satisfies Record<string, readonly TeamRole[]>

export type TeamAction = keyof typeof ALLOWED

export function may(role: TeamRole, action: TeamAction): boolean {
  const allowed: readonly TeamRole[] = ALLOWED[action]
  return allowed.includes(role)
}

export const LONGEST_TEAM_NAME = 60
/** Members and invitations together; support can be asked for more. */
export const MOST_IN_A_TEAM = 100
export const MOST_TEAMS = 20

export function readTeamName(typed: string | null): { name: string; fault: string | null } {
  const name = tidy(typed) ?? ''
  return { name, fault: name === '' ? 'Give the team a name.' : textFault(name, LONGEST_TEAM_NAME) }
}

/** What the team of a newcomer is called until they rename it. */
export function ownTeamName(name: string): string {
  return Array.from(`${name}’s team`).slice(0, LONGEST_TEAM_NAME).join('')
}

export function readRole(typed: string | null): TeamRole | null {
  return TEAM_ROLES.find((role) => role === typed) ?? null
}
