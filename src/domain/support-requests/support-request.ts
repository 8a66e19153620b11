import { tidy } from '../plain-text.ts'
import type { SupportSetting } from './setting-definitions.ts'
import type { SupportChange } from './setting-input.ts'

export const REQUEST_STATES = ['open', 'approved', 'denied', 'withdrawn'] as const

export type RequestState = (typeof REQUEST_STATES)[number]

export type SupportRequest = {
  id: string
  applicationId: string
  teamId: string
  /** The e-mail of whoever asked; null when their account is gone. */
  askedBy: string | null
  setting: SupportSetting
  wanted: SupportChange
  reason: string
  state: RequestState
  answer: string | null
  answeredBy: string | null
  answeredAt: Date | null
  createdAt: Date
}

/** With the names that an agent needs to see whose it is. */
export type QueuedRequest = SupportRequest & { applicationName: string; teamName: string }

export const LONGEST_REASON = 2_000
/** In a day for one application, those that were withdrawn included. */
export const MOST_REQUESTS_A_DAY = 50

/** Why somebody asks, or why support answers so. Lines may be broken; what changes the direction of text is refused. */
export function readReason(typed: string | null, missing: string): { text: string; fault: string | null } {
  const text = (typed ?? '')
    .replaceAll(/\r\n?/g, '\n')
    .split('\n')
    .map((line) => tidy(line) ?? '')
    .join('\n')
    .trim()
  if (text === '') return { text, fault: missing }
  if (Array.from(text).length > LONGEST_REASON) return { text, fault: `Use at most ${LONGEST_REASON} characters.` }
  const isOdd = /[^\P{Cc}\n\t]|[\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u.test(text)
  return { text, fault: isOdd ? 'This has characters in it that cannot be shown.' : null }
}
