import type { Scene } from '../scene.ts'
import { noteTokens } from './tokens.ts'
import { ask, askSurely, form, type Outcome, pause } from './visit.ts'

/** Machines that fetch a token with their secret. */
export async function visitAsMachine(scene: Scene): Promise<void> {
  const outcome = await ask(scene, 'client credentials', '/oidc/oauth/token', tokenRequest(scene))
  if (outcome.kind === 'done') noteTokens(scene.ledger, outcome.answer)
  await pause(60)
}

/** A token for the API, asked for until there is one; null when the load has ended meanwhile. */
export async function machineToken(scene: Scene): Promise<string | null> {
  const outcome: Outcome = await askSurely(scene, 'client credentials', '/oidc/oauth/token', tokenRequest(scene))
  return outcome.kind === 'done' ? noteTokens(scene.ledger, outcome.answer).access : null
}

function tokenRequest({ machine }: Scene): RequestInit {
  const fields = { grant_type: 'client_credentials', client_id: machine.id, client_secret: machine.secret }
  return form({ ...fields, audience: 'urn:handover:api:sandbox' })
}
