import { setTimeout as sleep } from 'node:timers/promises'
import { newRecoveryCodes } from '../../src/domain/users/recovery-code.ts'
import { newTotpSecret, stepAt, totpCode } from '../../src/domain/users/totp.ts'
import { enrolTotp } from '../../src/domain/users/totp-store.ts'
import type { TestHandover } from './handover.ts'

/** A person's authenticator app and the paper with their recovery codes. */
export type Authenticator = { userId: string; secret: Buffer; recoveryCodes: string[] }

/** As after setting it up a while ago: no code of these minutes is used yet. */
export async function enrol({ deps }: TestHandover, userId: string): Promise<Authenticator> {
  const secret = newTotpSecret()
  const recoveryCodes = newRecoveryCodes()
  await enrolTotp(deps.db, deps.cipher, { userId, secret, step: 0, recoveryCodes })
  return { userId, secret, recoveryCodes }
}

/** What the app shows, or showed so many steps ago. */
export function codeOf({ secret }: Pick<Authenticator, 'secret'>, drift = 0): string {
  return totpCode(secret, stepAt(new Date()) + drift)
}

/** For tests of the edges: not in the last five seconds of a step, when the next begins before the answer comes. */
export async function calmMoment(): Promise<void> {
  const left = 30_000 - (Date.now() % 30_000)
  if (left < 5_000) await sleep(left)
}

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** The secret that a page shows to be typed. */
export function secretFrom(shown: string): Buffer {
  const bits = Array.from(shown.replaceAll(' ', ''), (letter) => BASE32.indexOf(letter).toString(2).padStart(5, '0'))
  const bytes = bits.join('').match(/[01]{8}/g) ?? []
  return Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2)))
}
