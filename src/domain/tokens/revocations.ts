import { type Announcement, announce, announceEach } from '../../platform/announcements.ts'
import type { Clock } from '../../platform/clock.ts'
import type { DbOrTransaction } from '../../platform/db.ts'
import { PUBLISHED_AFTER_SECONDS } from '../keys/signing-key.ts'
import { grantOf } from './access-token.ts'

/** What can be revoked as one: a token, everything of a grant, of a person, or of a person at one application. */
export type Revoked = { token: string } | { grant: string } | { user: string } | { user: string; application: string }

export const REVOCATION_TOPIC = 'revocation'

/** Known to every process within a second, for as long as an access token that it hits could live. */
export async function revoke(db: DbOrTransaction, revoked: Revoked): Promise<void> {
  await announce(db, {
    topic: REVOCATION_TOPIC,
    key: keyOf(revoked),
    issuedBefore: 'now',
    forSeconds: PUBLISHED_AFTER_SECONDS,
    // Whoever replays a dead code a thousand times gets one row, not a thousand.
    once: !('user' in revoked),
  })
}

/** Every access token of these people that is out, at any application. */
export async function revokeEach(db: DbOrTransaction, userIds: readonly string[]): Promise<void> {
  const keys = userIds.map((user) => keyOf({ user }))
  await announceEach(db, { topic: REVOCATION_TOPIC, keys, forSeconds: PUBLISHED_AFTER_SECONDS })
}

/** The revocations that this process knows of. */
export type Revocations = {
  receive: (announcement: Announcement) => void
  hits: (token: { jti: string; sub: string; clientId: string; issuedAt: number }) => boolean
}

const SWEEP_EVERY = 1_000

export function createRevocations(clock: Clock): Revocations {
  const known = new Map<string, { before: number; until: number }>()
  let sinceSweep = 0

  function sweep(): void {
    sinceSweep = 0
    const now = clock().getTime()
    for (const [key, { until }] of known) if (until < now) known.delete(key)
  }

  return {
    receive({ key, issuedBefore, until }) {
      const before = issuedBefore?.getTime() ?? until.getTime()
      const earlier = known.get(key)
      // They may come in any order; the latest counts.
      if (earlier === undefined || earlier.before < before) known.set(key, { before, until: until.getTime() })
      if (++sinceSweep >= SWEEP_EVERY) sweep()
    },

    hits({ jti, sub, clientId, issuedAt }) {
      if (known.size === 0) return false
      const grant = grantOf(jti)
      // A token or a grant is revoked for good; a person's tokens only up to that moment: they may sign in again.
      if (known.has(keyOf({ token: jti })) || (grant !== null && known.has(keyOf({ grant })))) return true
      return [keyOf({ user: sub }), keyOf({ user: sub, application: clientId })].some((key) => {
        const revocation = known.get(key)
        // Tokens carry whole seconds; one of the same second is taken as older.
        return revocation !== undefined && issuedAt * 1_000 <= revocation.before
      })
    },
  }
}

function keyOf(revoked: Revoked): string {
  if ('token' in revoked) return `token ${revoked.token}`
  if ('grant' in revoked) return `grant ${revoked.grant}`
  return 'application' in revoked ? `user ${revoked.user} at ${revoked.application}` : `user ${revoked.user}`
}
