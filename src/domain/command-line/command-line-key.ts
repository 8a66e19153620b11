import { newOpaqueSecret } from '../../platform/opaque-secret.ts'

/** A key as it may be shown. The key itself is known to the command that got it, and to nobody else. */
export type CommandLineKey = {
  id: string
  /** The computer that it was made for. */
  name: string
  /** Who allowed it. */
  madeBy: string
  createdAt: Date
  expiresAt: Date
  lastUsedAt: Date | null
}

/** Of one application, so that a forgotten script that logs in again and again comes to an end. */
export const MOST_KEYS = 20

export const KEY_DAYS = 90

/** 256 random bits behind a name, so that a key that leaked is found by who looks for it. */
export function newCommandLineKey(): string {
  return `hck_${newOpaqueSecret()}`
}

export function isCommandLineKey(text: string): boolean {
  return /^hck_[\w-]{43}$/.test(text)
}
