import { type Content, html, type Markup } from './html.ts'
import { second } from './moment.ts'

/** Why a delivery is held, failed or cancelled; a reason that is not known here is shown as it is. */
const REASON_WORDS = new Map([
  ['webhook_disabled', 'the webhook is disabled'],
  ['application_suspended', 'the application is suspended'],
  ['kept', 'kept when the webhook was enabled'],
  ['listening', 'it waits for handover listen'],
  ['attempts_used_up', 'all attempts failed'],
  ['expired', 'older than 30 days'],
  ['webhook_deleted', 'the webhook was deleted'],
  ['facility_removed', 'the webhook does not list the facility any more'],
  ['access_lost', 'the facility is not connected any more'],
  ['event_unsubscribed', 'the webhook does not subscribe to this type any more'],
  ['consent_revoked', 'the person has revoked their consent'],
])

export function reasonInWords(reason: string): string {
  return REASON_WORDS.get(reason) ?? reason
}

export function stateTag(state: string): Markup {
  const kind = state === 'delivered' ? ' good' : state === 'failed' ? ' bad' : ''
  return html`<span class="tag${kind}">${state}</span>`
}

/** What comes next for one that waits. */
export function dueInWords(nextAttemptAt: Date | null): Content {
  return nextAttemptAt === null ? 'being sent now' : html`due ${second(nextAttemptAt)}`
}
