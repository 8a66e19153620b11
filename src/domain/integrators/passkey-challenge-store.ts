import type { Db } from '../../platform/db.ts'
import { newOpaqueSecret, secretHash } from '../../platform/opaque-secret.ts'

/** How long an authenticator has to answer: people look for their phone first. */
export const CHALLENGE_SECONDS = 5 * 60

/** One for each browser and purpose: the newest. `integratorId` is whose passkey is to be added; they have proven who they are. */
async function keepChallenge(
  db: Db,
  browser: string,
  purpose: 'add' | 'sign-in',
  integratorId: string | null,
): Promise<string> {
  const challenge = newOpaqueSecret()
  await db`
    insert into integrator_passkey_challenges (browser_hash, purpose, challenge, integrator_id, expires_at)
    values (${secretHash(browser)}, ${purpose}, ${challenge}, ${integratorId},
            now() + make_interval(secs => ${CHALLENGE_SECONDS}))
    on conflict (browser_hash, purpose) do update set
      challenge = excluded.challenge, integrator_id = excluded.integrator_id, expires_at = excluded.expires_at`
  return challenge
}

export async function challengeToAdd(db: Db, browser: string, integratorId: string): Promise<string> {
  return keepChallenge(db, browser, 'add', integratorId)
}

export async function challengeToSignIn(db: Db, browser: string): Promise<string> {
  return keepChallenge(db, browser, 'sign-in', null)
}

/** Good once, whatever comes of it. */
export async function takeChallengeToAdd(db: Db, browser: string, integratorId: string): Promise<string | null> {
  const [row] = await db<Array<{ challenge: string }>>`
    delete from integrator_passkey_challenges
    where browser_hash = ${secretHash(browser)} and purpose = 'add' and integrator_id = ${integratorId}
      and expires_at > now()
    returning challenge`
  return row?.challenge ?? null
}

export async function takeChallengeToSignIn(db: Db, browser: string): Promise<string | null> {
  const [row] = await db<Array<{ challenge: string }>>`
    delete from integrator_passkey_challenges
    where browser_hash = ${secretHash(browser)} and purpose = 'sign-in' and expires_at > now()
    returning challenge`
  return row?.challenge ?? null
}

export async function forgetOldChallenges(db: Db): Promise<void> {
  await db`
    delete from integrator_passkey_challenges where (browser_hash, purpose) in
      (select browser_hash, purpose from integrator_passkey_challenges where expires_at < now()
       order by expires_at limit 5000)`
}
