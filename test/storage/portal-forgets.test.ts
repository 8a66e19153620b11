import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { forgetOldIntegratorResets } from '../../src/domain/integrators/integrator-reset-store.ts'
import { forgetExpiredIntegratorSessions } from '../../src/domain/integrators/integrator-session-store.ts'
import { forgetOldIntegratorSignUps } from '../../src/domain/integrators/integrator-sign-up-store.ts'
import { insertIntegrator } from '../../src/domain/integrators/integrator-store.ts'
import { forgetOldChallenges } from '../../src/domain/integrators/passkey-challenge-store.ts'
import { forgetPendingSignIns } from '../../src/domain/integrators/pending-sign-in-store.ts'
import { forgetOldInvitations } from '../../src/domain/teams/invitation-store.ts'
import { insertTeam } from '../../src/domain/teams/team-store.ts'
import { createTestDatabase } from '../harness/test-database.ts'

const { db, drop } = await createTestDatabase()
after(drop)

await insertIntegrator(db, { id: 'int_1', email: 'a@example.com', name: 'Ann', passwordHash: 'none' })
const doing = { actor: { kind: 'command', id: null, name: 'test' }, requestId: null } as const
await insertTeam(db, { id: 'tem_1', name: 'Rota', ownerId: 'int_1' }, doing)

test('what is over is forgotten, and what is not stays: sessions, sign-ups, sign-ins, challenges, resets, invitations', async () => {
  for (const [name, age] of [
    ['old', '-31 days'],
    ['live', '1 minute'],
  ] as const) {
    await db`
      insert into integrator_sessions (secret_hash, sid, integrator_id, expires_at)
      values (${Buffer.from(name)}, ${name}, 'int_1', now() + ${age}::interval)`
    await db`
      insert into integrator_sign_ups (browser_hash, code_hash, code_expires_at, details_sealed, expires_at)
      values (${Buffer.from(name)}, '', now(), '', now() + ${age}::interval)`
    await db`
      insert into integrator_pending_sign_ins (browser_hash, integrator_id, expires_at)
      values (${Buffer.from(name)}, 'int_1', now() + ${age}::interval)`
    await db`
      insert into integrator_passkey_challenges (browser_hash, purpose, challenge, expires_at)
      values (${Buffer.from(name)}, 'sign-in', '', now() + ${age}::interval)`
    await db`
      insert into integrator_password_resets (secret_hash, integrator_id, expires_at)
      values (${Buffer.from(name)}, 'int_1', now() + ${age}::interval)`
    await db`
      insert into team_invitations (id, team_id, email, email_folded, role, secret_hash, expires_at)
      values (${name}, 'tem_1', ${name}, ${name}, 'owner', ${Buffer.from(name)}, now() + ${age}::interval)`
  }
  await forgetExpiredIntegratorSessions(db)
  await forgetOldIntegratorSignUps(db)
  await forgetPendingSignIns(db)
  await forgetOldChallenges(db)
  await forgetOldIntegratorResets(db)
  await forgetOldInvitations(db)
  const left = await db<Array<{ what: Buffer }>>`
    select secret_hash as what from integrator_sessions
    union all select browser_hash from integrator_sign_ups
    union all select browser_hash from integrator_pending_sign_ins
    union all select browser_hash from integrator_passkey_challenges
    union all select secret_hash from integrator_password_resets
    union all select secret_hash from team_invitations`
  assert.deepEqual(
    left.map(({ what }) => what.toString()),
    Array(6).fill('live'),
  )
})

test('an expired invitation is still shown for a month', async () => {
  await db`
    insert into team_invitations (id, team_id, email, email_folded, role, secret_hash, expires_at)
    values ('late', 'tem_1', 'late', 'late', 'owner', 'late', now() - interval '29 days')`
  await forgetOldInvitations(db)
  assert.equal((await db`select 1 from team_invitations where id = 'late'`).length, 1)
})
