/** Everything that is written down. The word before the dot is the noun, so that actions sort by it. */
export const AUDIT_ACTIONS = [
  'account.created',
  'account.renamed',
  'account.password-changed',
  'account.password-reset',
  'account.two-factor-on',
  'account.two-factor-off',
  'account.recovery-codes-replaced',
  'account.session-ended',
  'account.other-sessions-ended',
  'team.created',
  'team.renamed',
  'member.invited',
  'member.joined',
  'member.role-changed',
  'member.removed',
  'member.left',
  'invitation.sent-again',
  'invitation.withdrawn',
] as const

export type AuditAction = (typeof AUDIT_ACTIONS)[number]

/** Those that happen to a team; what people do to their own account is not their team's to read. */
export const TEAM_ACTIONS: readonly AuditAction[] = AUDIT_ACTIONS.filter((action) => !action.startsWith('account.'))

/** Who did it, as they were called then. A command and the platform have no account. */
export type AuditActor =
  | { kind: 'integrator' | 'staff'; id: string; name: string }
  | { kind: 'command' | 'platform'; id: null; name: string }

/** What was, or is, the case: plain values that may be read by everybody who may read the log. Never a secret. */
export type AuditState = Readonly<Record<string, string | number | boolean | null>>

export type AuditEntry = {
  actor: AuditActor
  action: AuditAction
  teamId: string | null
  applicationId: string | null
  before: AuditState | null
  after: AuditState | null
  requestId: string | null
}

export type AuditRow = Omit<AuditEntry, 'actor'> & {
  id: string
  at: Date
  actorName: string
  actorKind: AuditActor['kind']
}

/** Who is at it, and in which request: what every entry of one change has in common. */
export type Doing = { actor: AuditActor; requestId: string | null }
