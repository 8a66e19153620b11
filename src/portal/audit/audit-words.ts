import type { AuditAction, AuditRow, AuditState } from '../../domain/audit/audit.ts'
import { html, type Markup } from '../../ui/html.ts'

const WORDS: Record<AuditAction, string> = {
  'account.created': 'Made an account',
  'account.renamed': 'Changed their name',
  'account.password-changed': 'Changed their password',
  'account.password-reset': 'Reset their password',
  'account.two-factor-on': 'Turned on two-factor sign-in',
  'account.two-factor-off': 'Turned off two-factor sign-in',
  'account.recovery-codes-replaced': 'Made new recovery codes',
  'account.session-ended': 'Ended a session',
  'account.other-sessions-ended': 'Ended their other sessions',
  'team.created': 'Team created',
  'team.renamed': 'Team renamed',
  'member.invited': 'Member invited',
  'member.joined': 'Member joined',
  'member.role-changed': 'Role changed',
  'member.removed': 'Member removed',
  'member.left': 'Member left',
  'invitation.sent-again': 'Invitation sent again',
  'invitation.withdrawn': 'Invitation withdrawn',
}

export function actionInWords(action: AuditAction): string {
  return WORDS[action]
}

/** Each value that is there or was there; one that changed as before → after. An address comes first and needs no name. */
export function changeInWords({ before, after }: Pick<AuditRow, 'before' | 'after'>): Markup {
  const found = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])]
  const names = found.toSorted((one, other) => Number(other === 'email') - Number(one === 'email'))
  return html`<dl class="change">${names.map(
    (name) =>
      html`<div><dt${name === 'email' && html` class="unseen"`}>${name}</dt><dd>${valueInWords(before, after, name)}</dd></div>`,
  )}</dl>`
}

function valueInWords(before: AuditState | null, after: AuditState | null, name: string): Markup {
  const was = textOf(before, name)
  const is = textOf(after, name)
  if (was === null || is === null || was === is)
    return is === null ? html`<del>${was ?? ''}</del>` : html`<bdi>${is}</bdi>`
  return html`<del>${was}</del> <span aria-hidden="true">→</span> <ins>${is}</ins>`
}

function textOf(state: AuditState | null, name: string): string | null {
  const value = state?.[name]
  return value === undefined || value === null ? null : String(value)
}
