import { type Family, type LedgerWebhook, missingArrivals } from '../ledger.ts'
import { machineToken } from '../load/machines.ts'
import { askSurely, form, json } from '../load/visit.ts'
import { WEBHOOKS } from '../load/webhooks.ts'
import type { Scene } from '../scene.ts'
import { CALLBACK } from '../seed.ts'

const AT_ONCE = 8

/** Everything that was acknowledged is asked for at the door it came from. One line for each thing that is not there. */
export async function lostThings(scene: Scene): Promise<string[]> {
  const { ledger, subscribers } = scene
  const token = await machineToken(scene)
  if (token === null) return ['the service gives no token any more, so nothing could be judged']
  const webhooks = await forEach(ledger.webhooks, (webhook) => webhookFaults(scene, token, webhook))
  const families = await forEach(ledger.families, (family) => familyFaults(scene, family))
  return [
    ...ledger.lost,
    ...webhooks,
    ...families,
    ...missingArrivals(ledger, subscribers).map((key) => `event was taken and did not arrive: ${key}`),
    ...ledger.unverified.map((key) => `event arrived with a wrong signature: ${key}`),
  ]
}

/** What worked once, again. After `lostThings`: whoever comes with a used token ends everything that came of it. */
export async function workingTwice(scene: Scene): Promise<string[]> {
  const { ledger, web } = scene
  const used = ledger.families.flatMap(({ used: [oldest] }) => (oldest === undefined ? [] : [oldest]))
  const again = (what: string, fields: Record<string, string>) => async () => {
    const body = form({ ...fields, client_id: web.id, client_secret: web.secret })
    const { kind } = await askSurely(scene, 'judge', '/oidc/oauth/token', body)
    return kind === 'refused' ? [] : [`${what}, used a second time: ${kind}`]
  }
  const refreshes = used.map((token) => again('a refresh token', { grant_type: 'refresh_token', refresh_token: token }))
  const codes = ledger.redeemed.map((code) =>
    again('a code', { grant_type: 'authorization_code', code, redirect_uri: CALLBACK }),
  )
  // One after the other: a code that comes again ends its family, and would hide a refresh token of it that still works.
  return [...(await forEach(refreshes, (attempt) => attempt())), ...(await forEach(codes, (attempt) => attempt()))]
}

async function webhookFaults(scene: Scene, token: string, webhook: LedgerWebhook): Promise<string[]> {
  const { id, urls, secret, state } = webhook
  const outcome = await askSurely(scene, 'judge', `${WEBHOOKS}/${id}`, json('GET', token))
  if (outcome.kind === 'unknown') return [`webhook ${id}: no answer`]
  const { status, body } = outcome.answer
  if (status === 404) return state === 'there' ? [`webhook ${id} is gone`] : []
  if (status !== 200) return [`webhook ${id}: ${status}`]
  if (state === 'deleted') return [`webhook ${id} was deleted and is there again`]
  const { data } = body
  const shown = typeof data === 'object' && data !== null ? new Map<string, unknown>(Object.entries(data)) : new Map()
  const secrets: unknown = shown.get('secrets')
  return [
    ...(urls.has(String(shown.get('url'))) ? [] : [`webhook ${id} has not the address it was given`]),
    ...(Array.isArray(secrets) && secrets.includes(secret) ? [] : [`webhook ${id} has not the secret it was given`]),
  ]
}

async function familyFaults(scene: Scene, family: Family): Promise<string[]> {
  const { web } = scene
  const { state, access, refresh } = family
  if (state === 'unsure' || state === 'revoking') return []
  if (state === 'revoked') {
    const { kind } = await askSurely(scene, 'judge', '/oidc/userinfo', json('GET', access))
    if (kind === 'done') return ['an access token that was revoked still works']
  }
  const fields = { grant_type: 'refresh_token', refresh_token: refresh, client_id: web.id, client_secret: web.secret }
  const { kind, asked } = await askSurely(scene, 'judge', '/oidc/oauth/token', form(fields))
  if (state !== 'live') return kind === 'done' ? [`a refresh token works though its family is ${state}`] : []
  if (kind === 'done') {
    family.used.push(refresh)
    return []
  }
  return asked > 1 ? [] : [`a refresh token that was handed out is ${kind}`]
}

async function forEach<Item>(items: readonly Item[], judge: (item: Item) => Promise<string[]>): Promise<string[]> {
  const left = [...items]
  const found: string[] = []
  const work = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) found.push(...(await judge(item)))
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return found
}
