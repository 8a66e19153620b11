import { randomInt } from 'node:crypto'
import { textFault, tidy } from '../plain-text.ts'

/** A run of `handover login` that waits for somebody to allow it. */
export type CommandLineLogin = {
  userCode: string
  /** The computer, as it says itself. */
  name: string
  /** The address it was started from. */
  address: string
  createdAt: Date
}

export const LOGIN_MINUTES = 10

/** How often the command may ask whether it is allowed. */
export const ASK_EVERY_SECONDS = 2

/** Letters that nobody takes for others, and that make no words (RFC 8628 6.1). */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ'
const CODE_LENGTH = 8
const CODE = new RegExp(`^[${LETTERS}]{${CODE_LENGTH}}$`)

/** 20⁸ of them: with a few guesses for each account, nobody finds one that waits. */
export function newUserCode(): string {
  return Array.from({ length: CODE_LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join('')
}

/** As people write it: small letters, with or without the dash. Null for what is no code. */
export function readUserCode(typed: string): string | null {
  const code = typed.toUpperCase().replaceAll(/[\s-]/g, '')
  return CODE.test(code) ? code : null
}

/** Two halves, as it is easier to compare: WDJB-MJHT. */
export function shownCode(code: string): string {
  return `${code.slice(0, CODE_LENGTH / 2)}-${code.slice(CODE_LENGTH / 2)}`
}

const LONGEST_NAME = 60

/** What a computer calls itself, made fit to be shown; whatever is not becomes something that says so. */
export function computerName(given: string): string {
  const name = Array.from(tidy(given) ?? '')
    .slice(0, LONGEST_NAME)
    .join('')
  return name === '' || textFault(name, LONGEST_NAME) !== null ? 'a computer without a name' : name
}
