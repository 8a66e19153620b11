import { textFault, tidy } from '../plain-text.ts'

/** A way to sign in that counts as both factors: something they have, opened by what they know or are (decision record 80). */
export type Passkey = {
  id: string
  name: string
  /** Whether a password manager carries it to their other devices. */
  synced: boolean
  createdAt: Date
  lastUsedAt: Date | null
}

export const LONGEST_PASSKEY_NAME = 60

/** More than anybody has devices; every one of them is told to an authenticator that makes another. */
export const MOST_PASSKEYS = 20

export function readPasskeyName(typed: string | null): { name: string; fault: string | null } {
  const name = tidy(typed) ?? ''
  return { name, fault: name === '' ? 'Give it a name.' : textFault(name, LONGEST_PASSKEY_NAME) }
}
