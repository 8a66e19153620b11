/** Everything that is written down. The word before the dot is the noun, so that actions sort by it. */
export const AUDIT_ACTIONS = [
  'account.created',
  'account.renamed',
  'account.password-changed',
  'account.password-reset',
  'account.two-factor-on',
  'account.two-factor-off',
  'account.recovery-codes-replaced',
  'account.passkey-added',
  'account.passkey-renamed',
  'account.passkey-removed',
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
  'application.created',
  'application.changed',
  'application.deleted',
  'application.restored',
  'secret.created',
  'secret.revoked',
  'key.created',
  'key.revoked',
  'sandbox.renewed',
  'support.asked',
  'support.withdrawn',
  'support.approved',
  'support.denied',
  'support.set',
  'application.suspended',
  'application.unsuspended',
  'staff.added',
  'staff.reset',
  'staff.removed',
  'log.exported',
  'webhook.created',
  'webhook.changed',
  'webhook.deleted',
  'webhook.enabled',
  'webhook.disabled',
  'webhook.secrets-revealed',
  'webhook.secret-added',
  'webhook.secret-removed',
  'webhook.tested',
  'delivery.sent-again',
  'delivery.revealed',
  'replay.begun',
  'replay.cancelled',
  'person.session-ended',
  'person.sessions-ended',
  'person.access-withdrawn',
  'person.unlocked',
  'person.password-reset',
  'person.two-factor-removed',
  'integrator.session-ended',
  'integrator.sessions-ended',
  'integrator.unlocked',
  'integrator.password-reset',
  'integrator.two-factor-removed',
  'integrator.passkeys-removed',
  'keys.rotated',
] as const

export type AuditAction = (typeof AUDIT_ACTIONS)[number]

/** Those that happen to a team; what people do to their own account, and staff among themselves, is not a team's to read. */
export const TEAM_ACTIONS: readonly AuditAction[] = AUDIT_ACTIONS.filter(
  (action) => !/^(?:account|staff|log|person|integrator|keys)\./.test(action),
)

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
