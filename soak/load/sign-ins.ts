import { within } from '../../src/platform/within.ts'
import { type WebAnswer, WebClient } from '../../test/harness/web-client.ts'
import type { Scene } from '../scene.ts'
import { CALLBACK } from '../seed.ts'
import { noteTokens } from './tokens.ts'
import { askSurely, form, noteManners, pause } from './visit.ts'

const PATIENCE_MS = 30_000

/** People who sign in through the pages, with a browser of their own each time; the application fetches their tokens. */
export async function visitAsPerson(scene: Scene): Promise<void> {
  const jumps = scene.clockJumps()
  const code = await signIn(scene)
  scene.ledger.count('sign-in', code === null ? 'unknown' : 'done')
  if (code !== null) await redeem(scene, code, jumps)
  await pause(250)
}

/** Null when it did not come to an end: nobody was promised anything yet. */
export async function signIn(scene: Scene): Promise<string | null> {
  const { ledger, web, people, password, url } = scene
  const browser = new WebClient()
  const query = new URLSearchParams({
    client_id: web.id,
    response_type: 'code',
    redirect_uri: CALLBACK,
    scope: 'openid offline_access',
    state: 'soak',
  })
  const login = people[Math.floor(Math.random() * people.length)] ?? ''
  try {
    const page = await within(PATIENCE_MS, 'The page', browser.open(`${url}/oidc/authorize?${query.toString()}`))
    noteManners(ledger, 'sign-in', page.status, page.headers)
    if (page.status !== 200) return null
    ledger.secrets.add(new URL(page.url).searchParams.get('interaction') ?? '')
    const left = await within(PATIENCE_MS, 'Signing in', browser.send(page, { username: login, password }))
    noteManners(ledger, 'sign-in', left.status, left.headers)
    return codeIn(scene, left)
  } catch {
    return null
  } finally {
    for (const { value } of browser.cookiesFor(url)) ledger.secrets.add(value)
  }
}

function codeIn({ ledger }: Scene, { location }: WebAnswer): string | null {
  const code = location?.startsWith(CALLBACK) === true ? new URL(location).searchParams.get('code') : null
  if (code === null) return null
  ledger.issue('code', code)
  ledger.secrets.add(code)
  return code
}

/** A lost answer may have used the code up; then it is refused the second time, and what it gave has ended. */
async function redeem(scene: Scene, code: string, jumps: number): Promise<void> {
  const { ledger, web } = scene
  const fields = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK }
  const outcome = await askSurely(
    scene,
    'code exchanged',
    '/oidc/oauth/token',
    form({ ...fields, client_id: web.id, client_secret: web.secret }),
  )
  if (outcome.kind === 'done') {
    const { access, refresh } = noteTokens(ledger, outcome.answer)
    if (refresh === null) return void ledger.lost.push('a refresh token that was asked for is not in the answer')
    ledger.redeemed.push(code)
    ledger.families.push({ access, refresh, used: [], state: 'live', isBusy: false })
  } else if (outcome.kind === 'refused' && outcome.asked === 1 && jumps === scene.clockJumps()) {
    ledger.lost.push(`a code that was never used: ${outcome.answer.status} ${outcome.answer.text.slice(0, 200)}`)
  }
}
