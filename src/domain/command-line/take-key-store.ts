import type { Db, DbOrTransaction } from '../../platform/db.ts'
import { newId } from '../../platform/ids.ts'
import { secretHash } from '../../platform/opaque-secret.ts'
import { transaction } from '../../platform/transaction.ts'
import { holdTeamApplication } from '../applications/team-application-store.ts'
import type { Doing } from '../audit/audit.ts'
import { appendAudit } from '../audit/audit-store.ts'
import { KEY_DAYS, MOST_KEYS, newCommandLineKey } from './command-line-key.ts'
import { ASK_EVERY_SECONDS } from './command-line-login.ts'

export type TakenKey = {
  key: string
  expiresAt: Date
  application: { id: string; name: string }
}

export type TakeOutcome =
  | { outcome: 'taken'; taken: TakenKey }
  /** Nobody has answered yet; `too-soon` asked again before it may. */
  | { outcome: 'waiting' | 'too-soon' }
  | { outcome: 'denied' }
  /** Expired, taken already, or never begun. */
  | { outcome: 'unknown' }
  /** Allowed by somebody who may not any more, or for an application that is gone. */
  | { outcome: 'no-right' }
  | { outcome: 'too-many' }

type LoginRow = {
  name: string
  allowed: boolean | null
  integrator_id: string | null
  email: string | null
  team_id: string | null
  application_id: string | null
  too_soon: boolean
}

/** The command comes for its answer. What was allowed is given once: the login is gone with it. */
export async function takeKey(db: Db, secret: string, requestId: string): Promise<TakeOutcome> {
  return transaction(db, async (tx): Promise<TakeOutcome> => {
    const login = await holdLogin(tx, secretHash(secret))
    if (login === null) return { outcome: 'unknown' }
    if (login.allowed === null) return waits(tx, secret, login)
    await tx`delete from command_line_logins where secret_hash = ${secretHash(secret)}`
    if (!login.allowed) return { outcome: 'denied' }
    const { integrator_id: id, email, team_id: teamId, application_id: applicationId } = login
    if (id === null || email === null || teamId === null || applicationId === null) return { outcome: 'no-right' }
    const doing: Doing = { actor: { kind: 'integrator', id, name: email }, requestId }
    return makeKey(tx, { teamId, applicationId, integratorId: id, name: login.name }, doing)
  })
}

async function holdLogin(tx: DbOrTransaction, hash: Buffer): Promise<LoginRow | null> {
  const [row] = await tx<LoginRow[]>`
    select logins.name, allowed, integrator_id, email, team_id, application_id,
           coalesce(asked_at > now() - make_interval(secs => ${ASK_EVERY_SECONDS / 2}), false) as too_soon
    from command_line_logins logins left join integrators on integrators.id = integrator_id
    where secret_hash = ${hash} and expires_at > now() for update of logins`
  return row ?? null
}

async function waits(tx: DbOrTransaction, secret: string, { too_soon }: LoginRow): Promise<TakeOutcome> {
  if (too_soon) return { outcome: 'too-soon' }
  await tx`update command_line_logins set asked_at = now() where secret_hash = ${secretHash(secret)}`
  return { outcome: 'waiting' }
}

async function makeKey(
  tx: DbOrTransaction,
  made: { teamId: string; applicationId: string; integratorId: string; name: string },
  doing: Doing,
): Promise<TakeOutcome> {
  const { teamId, applicationId, integratorId, name } = made
  // Held, so that two at the same moment are counted one after the other.
  const application = await holdTeamApplication(tx, made, doing, 'key.change')
  if (application === null) return { outcome: 'no-right' }
  const [count] = await tx<[{ keys: number }]>`
    select count(*)::int as keys from command_line_keys where application_id = ${applicationId} and expires_at > now()`
  if (count.keys >= MOST_KEYS) return { outcome: 'too-many' }
  const key = newCommandLineKey()
  const [row] = await tx<[{ expires_at: Date }]>`
    insert into command_line_keys (id, application_id, integrator_id, key_hash, name, expires_at)
    values (${newId('clk')}, ${applicationId}, ${integratorId}, ${secretHash(key)}, ${name},
            now() + make_interval(days => ${KEY_DAYS}))
    returning expires_at`
  const named = { application: application.name }
  await appendAudit(tx, {
    ...doing,
    action: 'key.created',
    teamId,
    applicationId,
    before: null,
    after: { ...named, computer: name },
  })
  const taken = { key, expiresAt: row.expires_at, application: { id: applicationId, name: application.name } }
  return { outcome: 'taken', taken }
}
