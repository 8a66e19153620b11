import type { Attempt } from '../../../domain/deliveries/attempt-list-store.ts'
import type { NewEvent } from '../../../domain/deliveries/event.ts'
import { exampleData } from '../../../domain/deliveries/example-data.ts'
import type { Fate, PastDelivery } from '../../../domain/deliveries/past-store.ts'
import { WAITS } from '../../../domain/deliveries/retry-schedule.ts'
import type { Environment } from '../../../domain/environment.ts'
import { type Answer, broken, refused } from './answers.ts'

/** A delivery of the past in a line: what happened when, how the receiver answered, and what came of it. */
export type Told = {
  at: Date
  type: string
  subject: NewEvent['subject']
  answers: readonly Answer[]
  fate: 'delivered' | 'used-up' | 'waits' | 'kept' | { cancelled: string }
  /** Sent again by hand in the end, and taken. */
  byHand?: Answer
  test?: boolean
}

export const MOST_ATTEMPTS = WAITS.length + 1
/** In the middle of what the schedule's jitter allows. */
const JITTER = 1.1
/** How long somebody took to notice and to send it again. */
const NOTICED_MS = 40 * 60_000

export function deliveryOf(
  told: Told,
  webhook: { id: string; url: string; environment: Environment },
  newId: (prefix: string, madeAt: Date) => string,
): PastDelivery {
  const { at, type, subject, test = false } = told
  const environment = webhook.environment
  const data = exampleData(type)
  return {
    id: newId('dlv', at),
    webhookId: webhook.id,
    event: { id: newId('evt', at), environment, type, subject, occurredAt: at, data, test },
    directed: test,
    createdAt: at,
    fate: fateOf(told),
    attempts: attemptsOf(told, webhook.url),
  }
}

/** As many failures as there was time for since then; the last of ten is the end of it. */
export function failuresUntil(now: Date, at: Date): Answer[] {
  return Array.from({ length: MOST_ATTEMPTS }, (_, tried) => tried)
    .filter((tried) => startOf(at, tried) <= now)
    .map(failure)
}

function failure(tried: number): Answer {
  if (tried === 2) return broken('timeout')
  if (tried === 5) return broken('connect')
  return refused(503, tried)
}

function fateOf({ at, answers, fate, byHand }: Told): Fate {
  if (fate === 'waits') return { state: 'pending', dueAt: startOf(at, answers.length) }
  if (fate === 'kept') return { state: 'held', dueAt: at }
  const last = startOf(at, Math.max(0, answers.length - 1))
  if (byHand !== undefined) return { state: 'delivered', because: null, finishedAt: later(last, NOTICED_MS) }
  if (fate === 'delivered') return { state: 'delivered', because: null, finishedAt: last }
  if (fate === 'used-up') return { state: 'failed', because: 'attempts_used_up', finishedAt: last }
  return { state: 'cancelled', because: fate.cancelled, finishedAt: last }
}

function attemptsOf({ at, answers, byHand }: Told, url: string): Array<Omit<Attempt, 'number'>> {
  const regular = answers.map((answer, tried) => ({ ...answer, url, manual: false, startedAt: startOf(at, tried) }))
  if (byHand === undefined) return regular
  const startedAt = later(startOf(at, answers.length - 1), NOTICED_MS)
  return [...regular, { ...byHand, url, manual: true, startedAt }]
}

/** When the attempt after so many others begins (decision D5). */
export function startOf(at: Date, tried: number): Date {
  const waited = WAITS.slice(0, tried).reduce((sum, seconds) => sum + seconds * 1_000 * JITTER, 0)
  return later(at, waited)
}

function later(moment: Date, milliseconds: number): Date {
  return new Date(moment.getTime() + milliseconds)
}
