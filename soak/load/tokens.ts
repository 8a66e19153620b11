import { decodeJwt } from 'jose'
import { type Answer, textOf } from '../../test/harness/answer.ts'
import type { Ledger } from '../ledger.ts'

/** Writes down every token of an answer: what must stay secret, and what must never come again. */
export function noteTokens(ledger: Ledger, answer: Answer): { access: string; refresh: string | null } {
  const access = textOf(answer, 'access_token')
  ledger.issue('access token', String(decodeJwt(access).jti))
  ledger.secrets.add(access)
  const { refresh_token: refresh, id_token: idToken } = answer.body
  if (typeof idToken === 'string') ledger.secrets.add(idToken)
  if (typeof refresh !== 'string') return { access, refresh: null }
  ledger.issue('refresh token', refresh)
  ledger.secrets.add(refresh)
  return { access, refresh }
}
