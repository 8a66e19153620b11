import { giveToTeam } from '../../domain/applications/application-team-store.ts'
import { findIntegrator, insertIntegrator } from '../../domain/integrators/integrator-store.ts'
import { insertTeam } from '../../domain/teams/team-store.ts'
import type { Cipher } from '../../platform/cipher.ts'
import type { DbOrTransaction } from '../../platform/db.ts'
import type { HashDemoPassword } from './demo-password.ts'
import { type DemoValues, demoId } from './demo-values.ts'

/** A team with its owner. `passwordHash` is null when they are there already. */
type DemoTeam = { id: string; owner: { id: string; email: string; name: string }; passwordHash: string | null }

export async function demoTeam(
  db: DbOrTransaction,
  cipher: Cipher,
  hashPassword: HashDemoPassword,
  values: DemoValues,
): Promise<DemoTeam> {
  const owner = { id: demoId(cipher, 'int', 'owner'), email: values.PORTAL_EMAIL, name: 'Demo Developer' }
  const isKnown = (await findIntegrator(db, owner.id)) !== null
  const passwordHash = isKnown ? null : await hashPassword()
  return { id: demoId(cipher, 'tem', 'demo'), owner, passwordHash }
}

/** The demo applications are this team's, unless their owner gave them to another since. */
export async function seedTeam(
  tx: DbOrTransaction,
  { id, owner, passwordHash }: DemoTeam,
  applicationIds: readonly string[],
): Promise<void> {
  const isNew = passwordHash !== null && (await insertIntegrator(tx, { ...owner, passwordHash }))
  if (!isNew) return
  const doing = { actor: { kind: 'command', id: null, name: 'handover demo' }, requestId: null } as const
  await insertTeam(tx, { id, name: 'Demo team', ownerId: owner.id }, doing)
  await giveToTeam(tx, id, applicationIds)
}
