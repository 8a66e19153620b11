import type { Db } from '../../platform/db.ts'
import { newOpaqueSecret, secretHash } from '../../platform/opaque-secret.ts'
import { type CommandLineLogin, LOGIN_MINUTES, newUserCode } from './command-line-login.ts'

/** What the command asks with, and what people compare. */
export type BegunLogin = { secret: string; userCode: string; expiresInSeconds: number }

const TRIES = 5

export async function beginLogin(db: Db, { name, address }: { name: string; address: string }): Promise<BegunLogin> {
  const secret = newOpaqueSecret()
  for (let tries = 0; tries < TRIES; tries += 1) {
    const userCode = newUserCode()
    const begun = await db`
      insert into command_line_logins (secret_hash, user_code, name, address, expires_at)
      values (${secretHash(secret)}, ${userCode}, ${name}, ${address}, now() + make_interval(mins => ${LOGIN_MINUTES}))
      on conflict do nothing returning 1`
    if (begun.length === 1) return { secret, userCode, expiresInSeconds: LOGIN_MINUTES * 60 }
  }
  throw new Error('No code was free')
}

/** One that nobody has answered yet. */
export async function findWaitingLogin(db: Db, userCode: string): Promise<CommandLineLogin | null> {
  const [row] = await db<Array<{ name: string; address: string; created_at: Date }>>`
    select name, address, created_at from command_line_logins
    where user_code = ${userCode} and allowed is null and expires_at > now()`
  return row ? { userCode, name: row.name, address: row.address, createdAt: row.created_at } : null
}

/** Who answers, and for which application. Rights are asked for again when the command comes for its key. */
export type LoginAnswer =
  | { allowed: true; integratorId: string; teamId: string; applicationId: string }
  | { allowed: false; integratorId: string; teamId: string }

/** False when somebody has answered already, or it has expired. */
export async function answerLogin(db: Db, userCode: string, answer: LoginAnswer): Promise<boolean> {
  const { allowed, integratorId, teamId } = answer
  const applicationId = answer.allowed ? answer.applicationId : null
  const answered = await db`
    update command_line_logins
    set allowed = ${allowed}, integrator_id = ${integratorId}, team_id = ${teamId}, application_id = ${applicationId}
    where user_code = ${userCode} and allowed is null and expires_at > now() returning 1`
  return answered.length === 1
}

export async function forgetOldLogins(db: Db): Promise<void> {
  await db`delete from command_line_logins where expires_at < now()`
}
