import type { Family } from '../ledger.ts'
import type { Scene } from '../scene.ts'
import { noteTokens } from './tokens.ts'
import { askSurely, form, type Outcome, pause } from './visit.ts'

/** Applications that refresh: each token gives the next one, once. */
export async function visitAsApplication(scene: Scene): Promise<void> {
  await withFamily(scene, (family) => refresh(scene, family))
  await pause(50)
}

/** People who take back what they gave. */
export async function visitAsLeaver(scene: Scene): Promise<void> {
  const live = scene.ledger.families.filter(({ state }) => state === 'live')
  if (live.length > 10) await withFamily(scene, (family) => revoke(scene, family))
  await pause(700)
}

async function withFamily({ ledger }: Scene, work: (family: Family) => Promise<void>): Promise<void> {
  const idle = ledger.families.filter(({ state, isBusy }) => state === 'live' && !isBusy)
  const family = idle[Math.floor(Math.random() * idle.length)]
  if (family === undefined) return pause(200)
  family.isBusy = true
  try {
    await work(family)
  } finally {
    family.isBusy = false
  }
}

/**
 * Without a leeway a lost answer may have used the token up; then it counts as reused the second time, and the family ends
 * (decision B13). Either is right, but not that it ends without one.
 */
async function refresh(scene: Scene, family: Family): Promise<void> {
  const { ledger, web } = scene
  const before = family.refresh
  const outcome: Outcome & { asked: number } = await askSurely(
    scene,
    'token refreshed',
    '/oidc/oauth/token',
    form({ grant_type: 'refresh_token', refresh_token: before, client_id: web.id, client_secret: web.secret }),
  )
  switch (outcome.kind) {
    case 'done': {
      const { access, refresh: after } = noteTokens(ledger, outcome.answer)
      family.used.push(before)
      family.access = access
      if (after === null) ledger.lost.push('a refresh gave no refresh token')
      else family.refresh = after
      return
    }
    case 'refused':
      if (outcome.asked === 1)
        ledger.lost.push(`a live refresh token: ${outcome.answer.status} ${outcome.answer.text.slice(0, 200)}`)
      family.state = 'ended'
      return
    case 'unknown':
      family.state = 'unsure'
  }
}

async function revoke(scene: Scene, family: Family): Promise<void> {
  const { web } = scene
  family.state = 'revoking'
  const outcome = await askSurely(
    scene,
    'token revoked',
    '/oidc/oauth/revoke',
    form({ token: family.refresh, client_id: web.id, client_secret: web.secret }),
  )
  if (outcome.kind === 'done') family.state = 'revoked'
}
