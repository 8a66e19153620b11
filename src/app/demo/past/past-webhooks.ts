import type { PastReplay, PastStanding } from '../../../domain/deliveries/past-store.ts'
import type { Environment } from '../../../domain/environment.ts'
import { FACILITY_EVENTS, USER_EVENTS } from '../../../domain/webhooks/event-names.ts'
import type { WebhookKind } from '../../../domain/webhooks/webhook.ts'
import { broken, refused, scattered, taken } from './answers.ts'
import { failuresUntil, MOST_ATTEMPTS, startOf, type Told } from './told.ts'

/** A webhook with a past: what it is, how it stands now, and everything that was sent to it. */
export type PastWebhook = {
  kind: WebhookKind
  environment: Environment
  /** At the demo's receiver, which answers as the path says: whatever is sent there later on stays on this machine. */
  path: string
  events: string[]
  standing: PastStanding
  told: Told[]
  replay?: Omit<PastReplay, 'id' | 'webhookId'>
}

export type Scene = {
  now: Date
  facilityOf: Record<Environment, string>
  /** That a webhook listed once. */
  otherFacility: string
  personId: string
}

type Ago = (hours: number) => Date

/** There are tables for five days; nothing is older than this. */
export const OLDEST_HOURS = 118

export function pastWebhooks({ now, facilityOf, otherFacility, personId }: Scene): PastWebhook[] {
  const ago: Ago = (hours) => new Date(now.getTime() - hours * 3_600_000)
  const sandbox = { facilityId: facilityOf.sandbox }
  return [
    roster(ago, sandbox),
    payroll(ago, sandbox),
    retired(ago, sandbox, { facilityId: otherFacility }),
    people(ago, { userId: personId }),
    production(ago, { facilityId: facilityOf.production }),
  ]
}

/** In hours; the first of them within the last half hour, of which the support console shows every minute. */
const ROSTER_HOURS = [
  0.05,
  0.12,
  0.14,
  0.2,
  0.32,
  0.42,
  0.44,
  ...Array.from({ length: 34 }, (_, step) => 0.8 + step * 0.67 + 0.6 * scattered(step)),
  ...Array.from({ length: 22 }, (_, step) => 25 + step * 4 + 3.5 * scattered(step)),
]

/** It works: now and then a second attempt, and two that were kept when it was enabled again. */
function roster(ago: Ago, subject: Told['subject']): PastWebhook {
  const usual = ROSTER_HOURS.map((hours, step): Told => {
    const type = FACILITY_EVENTS[step % FACILITY_EVENTS.length] ?? 'shift.created'
    const first = step % 9 === 4 ? [step % 2 === 0 ? refused(500, step) : broken('reset')] : []
    return { at: ago(hours), type, subject, answers: [...first, taken(step)], fate: 'delivered' }
  })
  return {
    kind: 'facility',
    environment: 'sandbox',
    path: '/roster',
    events: ['all'],
    standing: { createdAt: ago(OLDEST_HOURS), disabledBecause: null, failing: null },
    told: [
      ...usual,
      { at: ago(20.2), type: 'shift.created', subject, answers: [], fate: 'kept' },
      { at: ago(20.1), type: 'shift.cancelled', subject, answers: [], fate: 'kept' },
      { at: ago(9.3), type: 'shift.created', subject, answers: [taken(1)], fate: 'delivered', test: true },
    ],
  }
}

/**
 * It fails: some were given up, one of them was sent again by hand, and the others wait. For two days nothing was taken, so
 * whoever wanted to replay what was given up thought better of it.
 */
function payroll(ago: Ago, subject: Told['subject']): PastWebhook {
  const type = 'shift.report.accepted'
  const well = [116, 113, 109, 104, 51].map(
    (hours, step): Told => ({ at: ago(hours), type, subject, answers: [taken(step)], fate: 'delivered' }),
  )
  const badly = [98, 97, 95, 91, 71, 50, 44, 30, 21, 13, 6, 1].map((hours) => failing(ago, hours, type, subject))
  const since = ago(50)
  const failures = badly.flatMap(({ at, answers }) => answers.filter((_, tried) => startOf(at, tried) >= since))
  return {
    kind: 'facility',
    environment: 'sandbox',
    path: '/payroll/status/503',
    events: ['shift.report.accepted', 'shift.report.rejected'],
    standing: {
      createdAt: ago(OLDEST_HOURS - 1),
      disabledBecause: null,
      failing: { since, failures: failures.length },
    },
    told: [...well, ...badly.map((told, step) => (step === 1 ? { ...told, byHand: taken(step) } : told))],
    replay: { from: ago(100), to: ago(90), states: ['failed'], total: 3, at: ago(2.4) },
  }
}

/** Its receiver said 410, so it is disabled, and what comes is held; before that, its owner changed what it gets. */
function retired(ago: Ago, subject: Told['subject'], other: Told['subject']): PastWebhook {
  const type = 'shift.scheduled'
  const well = [115, 112, 105, 99, 92, 86].map((hours, step): Told => {
    const first = step === 3 ? [refused(429, step)] : []
    return { at: ago(hours), type, subject, answers: [...first, taken(step)], fate: 'delivered' }
  })
  const held = [52, 41, 28, 17, 4].map((hours): Told => ({ at: ago(hours), type, subject, answers: [], fate: 'waits' }))
  return {
    kind: 'facility',
    environment: 'sandbox',
    path: '/legacy/status/410',
    events: ['shift.scheduled'],
    standing: { createdAt: ago(OLDEST_HOURS - 2), disabledBecause: 'gone', failing: null },
    told: [
      ...well,
      { at: ago(84), type: 'shift.created', subject, answers: [refused(503, 1)], fate: lost('event_unsubscribed') },
      { at: ago(83), type, subject: other, answers: [], fate: lost('facility_removed') },
      { at: ago(82), type, subject: other, answers: [broken('connect')], fate: lost('access_lost') },
      { at: ago(60), type, subject, answers: [refused(410, 1)], fate: 'waits' },
      ...held,
    ],
  }
}

/** About a person, who took back what they had allowed. */
function people(ago: Ago, subject: Told['subject']): PastWebhook {
  const well = [110, 88, 64, 47, 26, 8].map((hours, step): Told => {
    const type = USER_EVENTS[step % USER_EVENTS.length] ?? 'facility.creation.accepted'
    return { at: ago(hours), type, subject, answers: [taken(step)], fate: 'delivered' }
  })
  const type = 'facility.creation.accepted'
  return {
    kind: 'user',
    environment: 'sandbox',
    path: '/people',
    events: ['all'],
    standing: { createdAt: ago(OLDEST_HOURS - 3), disabledBecause: null, failing: null },
    told: [...well, { at: ago(5), type, subject, answers: [broken('reset')], fate: lost('consent_revoked') }],
  }
}

/** It works, but for one that was given up after a bad night, and one that waits for its next attempt. */
function production(ago: Ago, subject: Told['subject']): PastWebhook {
  const well = Array.from({ length: 26 }, (_, step): Told => {
    const type = FACILITY_EVENTS[(step * 3) % FACILITY_EVENTS.length] ?? 'shift.created'
    return { at: ago(0.4 + step * 4.3), type, subject, answers: [taken(step)], fate: 'delivered' }
  })
  return {
    kind: 'facility',
    environment: 'production',
    path: '/roster',
    events: ['all'],
    standing: { createdAt: ago(OLDEST_HOURS), disabledBecause: null, failing: null },
    told: [...well, ...[101, 7].map((hours) => failing(ago, hours, 'shift.cancelled', subject))],
  }
}

function failing(ago: Ago, hours: number, type: string, subject: Told['subject']): Told {
  const answers = failuresUntil(ago(0), ago(hours))
  const fate = answers.length === MOST_ATTEMPTS ? 'used-up' : 'waits'
  return { at: ago(hours), type, subject, answers, fate }
}

function lost(reason: string): Told['fate'] {
  return { cancelled: reason }
}
