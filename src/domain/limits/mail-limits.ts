import { foldLogin } from '../users/user.ts'
import type { FailureLimit } from './failure-store.ts'

const QUARTER_HOUR = 15 * 60
const HOUR = 3_600

/** What a stranger can have mailed; people and integrators are counted apart. */
export type MailPurpose = 'sign-up' | 'reset' | 'portal sign-up' | 'portal reset' | 'invitation'

/**
 * How many mails a stranger can have sent: few to one address from one place, so that nobody's mailbox is filled; somewhat
 * more to it from all places together, so that nobody can use up what its owner needs; and not too many from one place.
 * Counted by what was typed, known or not.
 */
export function mailLimits(purpose: MailPurpose, typed: string, address: string): FailureLimit[] {
  const who = foldLogin(typed).slice(0, 320)
  return [
    { key: `${purpose} mail to ${who} from ${address}`, failures: 5, windowSeconds: QUARTER_HOUR },
    { key: `${purpose} mail to ${who}`, failures: 20, windowSeconds: HOUR },
    { key: `${purpose} mail from ${address}`, failures: 60, windowSeconds: QUARTER_HOUR },
  ]
}
