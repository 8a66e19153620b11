import { removeDeletedApplications } from '../domain/applications/delete-application-store.ts'
import { forgetExpiredKeys } from '../domain/command-line/command-line-key-store.ts'
import { forgetOldLogins } from '../domain/command-line/command-line-login-store.ts'
import { forgetOldAccountResets } from '../domain/credentials/account-reset-store.ts'
import { forgetExpiredAccountSessions } from '../domain/credentials/account-session-store.ts'
import { forgetPendingAccounts } from '../domain/credentials/pending-sign-in-store.ts'
import { stepReplays } from '../domain/deliveries/replay-store.ts'
import { forgetOldAnswers } from '../domain/idempotency/idempotency-store.ts'
import { forgetOldIntegratorResets } from '../domain/integrators/integrator-reset-store.ts'
import { forgetExpiredIntegratorSessions } from '../domain/integrators/integrator-session-store.ts'
import { forgetOldIntegratorSignUps } from '../domain/integrators/integrator-sign-up-store.ts'
import { forgetOldChallenges } from '../domain/integrators/passkey-challenge-store.ts'
import { forgetPendingSignIns } from '../domain/integrators/pending-sign-in-store.ts'
import { rotateDueKeys } from '../domain/keys/signing-key-store.ts'
import { forgetEndedWindows } from '../domain/limits/failure-store.ts'
import { forgetFullBuckets } from '../domain/limits/rate-bucket-store.ts'
import { dropOldRequestDays, ensureRequestDays } from '../domain/requests/request-days-store.ts'
import { forgetExpiredInteractions } from '../domain/sessions/interaction-store.ts'
import { forgetOldResets } from '../domain/sessions/password-reset-store.ts'
import { forgetExpiredSessions } from '../domain/sessions/session-store.ts'
import { STAFF } from '../domain/staff/staff.ts'
import { forgetOldInvitations } from '../domain/teams/invitation-store.ts'
import { forgetOldCodes } from '../domain/tokens/authorization-code-store.ts'
import { eraseEndedLeeways, forgetExpiredFamilies } from '../domain/tokens/refresh-token-store.ts'
import { forgetOldSignUps } from '../domain/users/sign-up-store.ts'
import { forgetOldAnnouncements } from '../platform/announcements.ts'
import type { Bell } from '../platform/bell.ts'
import { clockSkewSeconds } from '../platform/clock.ts'
import { DATABASE_PATIENCE_MS } from '../platform/db.ts'
import { startPeriodic } from '../platform/periodic.ts'
import { within } from '../platform/within.ts'
import type { Addresses } from './addresses.ts'
import { startDeliveries } from './deliveries.ts'
import { deliveryTasks, watchFailing } from './delivery-tasks.ts'
import type { Deps } from './deps.ts'
import { HOUR, MINUTE, SECOND, type Task } from './task.ts'

/** What goes on without anybody asking. Any number of processes may do it at once: every task is safe to repeat. */
export type Worker = { alive: () => boolean; stop: () => Promise<void> }

/** Signed timestamps and token lifetimes are read by others; beyond this they begin to notice. */
const SKEW_WARNING_SECONDS = 2

export function startWorker(deps: Deps, bell: Bell, { baseUrl }: Addresses): Worker {
  const { db, cipher, log } = deps
  const deliveries = startDeliveries(deps, bell)
  const failing = watchFailing(deps, baseUrl)
  const tasks: Task[] = [
    ...deliveryTasks(deps, failing),
    { what: "compare this machine's clock", everyMs: 5 * SECOND, turn: () => watchClock(deps) },
    { what: 'take up what is replayed', everyMs: SECOND, turn: async () => (await stepReplays(db)) > 0 && bell.ring() },
    { what: 'erase successors whose leeway ended', everyMs: 5 * SECOND, turn: () => eraseEndedLeeways(db) },
    { what: 'forget failures whose window ended', everyMs: MINUTE, turn: () => forgetEndedWindows(db) },
    { what: 'forget announcements that everyone knows', everyMs: MINUTE, turn: () => forgetOldAnnouncements(db) },
    { what: 'forget interactions that nobody finished', everyMs: MINUTE, turn: () => forgetExpiredInteractions(db) },
    { what: 'forget codes that were used or missed', everyMs: MINUTE, turn: () => forgetOldCodes(db) },
    { what: 'forget refresh tokens that have expired', everyMs: MINUTE, turn: () => forgetExpiredFamilies(db) },
    { what: 'forget sign-ups that nobody finished', everyMs: MINUTE, turn: () => forgetOldSignUps(db) },
    { what: 'forget links for new passwords', everyMs: MINUTE, turn: () => forgetOldResets(db) },
    { what: 'forget answers that were kept for a day', everyMs: MINUTE, turn: () => forgetOldAnswers(db) },
    { what: 'forget sessions that are over', everyMs: MINUTE, turn: () => forgetExpiredSessions(db) },
    { what: 'forget portal sessions that are over', everyMs: MINUTE, turn: () => forgetExpiredIntegratorSessions(db) },
    { what: 'forget portal sign-ins without a code', everyMs: MINUTE, turn: () => forgetPendingSignIns(db) },
    { what: 'forget challenges nobody answered', everyMs: MINUTE, turn: () => forgetOldChallenges(db) },
    { what: 'forget portal sign-ups nobody finished', everyMs: MINUTE, turn: () => forgetOldIntegratorSignUps(db) },
    { what: 'forget portal links for new passwords', everyMs: MINUTE, turn: () => forgetOldIntegratorResets(db) },
    { what: 'forget logins of command lines', everyMs: MINUTE, turn: () => forgetOldLogins(db) },
    { what: 'forget keys of command lines that have expired', everyMs: MINUTE, turn: () => forgetExpiredKeys(db) },
    {
      what: 'forget staff sessions that are over',
      everyMs: MINUTE,
      turn: () => forgetExpiredAccountSessions(db, STAFF),
    },
    { what: 'forget staff sign-ins without a code', everyMs: MINUTE, turn: () => forgetPendingAccounts(db, STAFF) },
    { what: 'forget staff links for passwords', everyMs: MINUTE, turn: () => forgetOldAccountResets(db, STAFF) },
    { what: 'make the days to come of the request log', everyMs: HOUR, turn: () => ensureRequestDays(db) },
    { what: 'forget requests of a week ago', everyMs: HOUR, turn: () => dropOldRequestDays(db) },
    { what: 'forget invitations nobody took up', everyMs: HOUR, turn: () => forgetOldInvitations(db) },
    { what: 'remove applications deleted long ago', everyMs: MINUTE, turn: () => removeDeletedApplications(db) },
    { what: 'forget rate limits that nobody uses', everyMs: HOUR, turn: () => forgetFullBuckets(db) },
    { what: 'rotate signing keys that are due', everyMs: HOUR, turn: () => rotateDueKeys(db, cipher) },
  ]
  const running = tasks.map(({ what, everyMs, turn }) =>
    startPeriodic(
      everyMs,
      async () => void (await turn()),
      (error) => log.warn({ err: error, task: what }, 'a background task failed; it is tried again'),
    ),
  )
  return {
    alive: () => deliveries.alive() && running.every((task) => !task.stalled()),
    stop: async () => {
      await Promise.all([deliveries.stop(), ...running.map((task) => task.stop())])
      await failing.stop()
    },
  }
}

/** The database's clock decides what is due and expired and goes into what is signed; by ours are logs and durations (decision A7). */
async function watchClock({ db, clock, metrics, log }: Deps): Promise<void> {
  const skew = await within(DATABASE_PATIENCE_MS, 'Asking the database for its time', clockSkewSeconds(db, clock))
  metrics.clockSkewSeconds.set(skew)
  if (Math.abs(skew) > SKEW_WARNING_SECONDS)
    log.warn({ skewSeconds: skew }, "this machine's clock differs from the database's")
}
