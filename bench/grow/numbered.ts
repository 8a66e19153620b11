import type { Audiences } from '../../src/domain/tokens/audience.ts'
import type { DbOrTransaction } from '../../src/platform/db.ts'

/** Everything that was filled in has a number, from 0 on, and everything about it follows from that. */
export const PER_TEAM = 10
export const PER_FACILITY = 10
export const PER_EVENT = 10
export const PER_WEBHOOK = 10
/** One in ten webhooks is about its person, the others are about their facility. */
export const ABOUT_PEOPLE = PER_FACILITY - 1

export const AUDIENCES: Audiences = { production: 'urn:grow:production', sandbox: 'urn:grow:sandbox' }

export const PAST_DAYS = 5
export const PAST_MS = PAST_DAYS * 86_400_000

export type Prefix = 'usr' | 'app' | 'fac' | 'whk' | 'tea' | 'int' | 'evt' | 'ses' | 'grt' | 'sec'

export function idOf(prefix: Prefix, number: number): string {
  return `${prefix}_${number.toString(16).padStart(32, '0')}`
}

/** The same in SQL, of a column that is a number. */
export function sqlIdOf(db: DbOrTransaction, prefix: Prefix, number: string) {
  return db.unsafe(`'${prefix}_' || lpad(to_hex(${number}), 32, '0')`)
}

export function addressOf(number: number): string {
  return `${number}@grow.example`
}

/** The delivery of this number: ids tell the time, and the deliveries of an event are made in one moment. */
export function deliveryIdOf(number: number, size: number, past: number): string {
  const at = past + Math.floor((Math.floor(number / PER_EVENT) * PAST_MS) / size)
  return `dlv_${at.toString(16).padStart(12, '0')}7${number.toString(16).padStart(19, '0')}`
}
