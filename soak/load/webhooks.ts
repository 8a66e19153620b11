import { randomBytes, randomUUID } from 'node:crypto'
import type { LedgerWebhook } from '../ledger.ts'
import type { Scene } from '../scene.ts'
import { machineToken } from './machines.ts'
import { askSurely, json, type Outcome, pause } from './visit.ts'

export const WEBHOOKS = '/api/v2/public/webhooks/facility'

/** More of them, and the oldest is deleted. */
const MOST = 40

/** Integrators who make, change and delete webhooks. */
export async function visitAsIntegrator(scene: Scene): Promise<void> {
  const token = await machineToken(scene)
  if (token === null) return
  for (let turn = 0; turn < 20 && !scene.isOver(); turn += 1) {
    if (!(await write(scene, token))) return
    await pause(50)
  }
}

/** False when the token is of no use any more. */
async function write(scene: Scene, token: string): Promise<boolean> {
  const { webhooks } = scene.ledger
  const idle = webhooks.filter(({ id, state, isFinal }) => state === 'there' && !isFinal && !scene.busy.has(id))
  const [oldest] = idle
  if (oldest === undefined || idle.length < MOST / 4) return create(scene, token)
  if (idle.length > MOST) return occupied(scene, oldest, () => remove(scene, token, oldest))
  const any = idle[Math.floor(Math.random() * idle.length)] ?? oldest
  return Math.random() < 0.4
    ? create(scene, token)
    : occupied(scene, any, () => (Math.random() < 0.7 ? change(scene, token, any) : remove(scene, token, any)))
}

async function occupied(scene: Scene, { id }: LedgerWebhook, work: () => Promise<boolean>): Promise<boolean> {
  scene.busy.add(id)
  try {
    return await work()
  } finally {
    scene.busy.delete(id)
  }
}

async function create(scene: Scene, token: string): Promise<boolean> {
  const secret = newSecret()
  const outcome = await subscribe(scene, token, { url: addressOf(scene), secret, facility: scene.facilities.quiet })
  return outcome.kind !== 'refused'
}

/** Asked again with the same Idempotency-Key until it is known, which makes one webhook however often it was asked. */
export async function subscribe(
  scene: Scene,
  token: string,
  { url, secret, facility }: { url: string; secret: string; facility: string },
): Promise<Outcome> {
  const { ledger } = scene
  ledger.secrets.add(secret)
  const body = { url, events: ['all'], facilities: [facility], secrets: [secret] }
  const request = json('POST', token, body, { 'idempotency-key': randomUUID() })
  const outcome = await askSurely(scene, 'webhook created', WEBHOOKS, request)
  if (outcome.kind === 'done') {
    const id = idIn(outcome.answer.body)
    ledger.issue('webhook', id)
    ledger.webhooks.push({ id, urls: new Set([url]), secret, state: 'there', isFinal: false })
  }
  return outcome
}

/**
 * Both addresses are right until it is known. When the first answer was lost it is not changed again afterwards: that first
 * try may still be under way, and it may only write what the second one wrote.
 */
async function change(scene: Scene, token: string, webhook: LedgerWebhook): Promise<boolean> {
  const url = addressOf(scene)
  webhook.urls.add(url)
  const outcome = await askSurely(scene, 'webhook changed', `${WEBHOOKS}/${webhook.id}`, json('PATCH', token, { url }))
  webhook.isFinal = outcome.asked > 1
  if (outcome.kind === 'done') webhook.urls = new Set([url])
  if (outcome.kind !== 'refused') return true
  if (outcome.answer.status === 404) scene.ledger.lost.push(`webhook ${webhook.id}: 404 when it was to be changed`)
  if (outcome.asked === 1) webhook.urls.delete(url)
  return false
}

async function remove(scene: Scene, token: string, webhook: LedgerWebhook): Promise<boolean> {
  webhook.state = 'deleting'
  const outcome = await askSurely(scene, 'webhook deleted', `${WEBHOOKS}/${webhook.id}`, json('DELETE', token))
  if (outcome.kind === 'unknown') return true
  const { status } = outcome.answer
  if (status === 404 && outcome.asked === 1)
    scene.ledger.lost.push(`webhook ${webhook.id}: 404 when it was to be deleted`)
  if (outcome.kind === 'done' || status === 404) webhook.state = 'deleted'
  else webhook.state = outcome.asked === 1 ? 'there' : 'deleting'
  return outcome.kind === 'done' || status === 404
}

export function newSecret(): string {
  return `whsec_${randomBytes(24).toString('base64')}`
}

function addressOf({ receiver }: Scene): string {
  return receiver.urlOf(`of-nobody?v=${randomUUID()}`)
}

function idIn({ data }: Record<string, unknown>): string {
  if (typeof data === 'object' && data !== null && 'id' in data && typeof data.id === 'string') return data.id
  throw new Error('A webhook was made and its id is not in the answer')
}
