import { randomBytes } from 'node:crypto'
import { base32 } from './totp.ts'

export const RECOVERY_CODES = 10
/** 120 bits: too many to guess even for somebody who has the stored hashes, which are plain ones for that reason (record 43). */
const CODE_BYTES = 15

export function newRecoveryCodes(): string[] {
  return Array.from({ length: RECOVERY_CODES }, () => inGroups(base32(randomBytes(CODE_BYTES))))
}

/** As it was made, whatever was typed: any case, with or without dashes, and 0, 1 and 8 for the letters they look like. */
export function readRecoveryCode(typed: string): string | null {
  const letters = typed
    .toUpperCase()
    .replaceAll(/[\s-]/g, '')
    .replaceAll('0', 'O')
    .replaceAll('1', 'I')
    .replaceAll('8', 'B')
  // Those that were made before had sixteen characters.
  return /^(?:[A-Z2-7]{16}|[A-Z2-7]{24})$/.test(letters) ? inGroups(letters) : null
}

/** Four characters at a time are what people can copy without losing their place. */
export function inGroups(text: string, separator = '-'): string {
  return text.match(/.{1,4}/g)?.join(separator) ?? ''
}
