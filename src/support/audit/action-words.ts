import type { AuditAction } from '../../domain/audit/audit.ts'

/** `member.role-changed` as `Member: role changed`. Staff read the log of everybody, and filter it by these very names. */
export function actionInWords(action: AuditAction): string {
  const [noun = '', what = ''] = action.split('.')
  return `${noun.charAt(0).toUpperCase()}${noun.slice(1)}: ${what.replaceAll('-', ' ')}`
}
