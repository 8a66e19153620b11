import { setTimeout as sleep } from 'node:timers/promises'
import { OperatorError } from '../platform/operator-error.ts'
import type { Connection } from './connection.ts'
import { attemptsInWords, deliveryFrom, type ListedDelivery, stateInWords } from './delivery.ts'
import { isPassing } from './is-passing.ts'
import { itemsOf, textOf } from './json-value.ts'
import type { Output } from './output.ts'
import { callAboutListed, type ListedWebhook, listWebhooks } from './webhooks.ts'

export type Tail = { webhookId: string | null; since: Date | null; signal: AbortSignal }

const LOOK_EVERY_MS = 1_500
/** However many webhooks there are, a tenth of what the API allows is enough. */
const PAUSE_PER_WEBHOOK_MS = 200
/** Webhooks that are made meanwhile are found after so many looks. */
const LIST_EVERY = 10
const LONGEST_PAUSE_MS = 30_000
/** What is committed late has an older moment than what was seen already: so far back every look goes. */
const OVERLAP_MS = 60_000
const PAGE = 100
const MOST_PAGES = 20
const MOST_REMEMBERED = 10_000

/** `deliveries tail`: a line for whatever is new or different, for as long as it is let. */
export async function tailDeliveries(connection: Connection, output: Output, tail: Tail): Promise<void> {
  const { signal } = tail
  const watches = new Map<string, Watch>()
  let isAway = false
  for (let look = 0, pause = LOOK_EVERY_MS; !signal.aborted; ) {
    try {
      if (look % LIST_EVERY === 0) await renewWatches(connection, tail, watches, look === 0)
      for (const watch of watches.values()) await lookAt(connection, output, watch, signal)
      if (look === 0)
        output.say(
          watches.size === 0
            ? 'There is no webhook yet; waiting for one.'
            : `Watching ${watches.size} ${watches.size === 1 ? 'webhook' : 'webhooks'}. Ctrl-C ends it.`,
        )
      if (isAway) output.say('The service is back.')
      isAway = false
      look += 1
      pause = Math.max(LOOK_EVERY_MS, watches.size * PAUSE_PER_WEBHOOK_MS)
    } catch (error) {
      if (signal.aborted) break
      if (!isPassing(error)) throw error
      if (!isAway) output.say(`Connection lost, trying again. (${error.message})`)
      pause = isAway ? Math.min(pause * 2, LONGEST_PAUSE_MS) : LOOK_EVERY_MS
      isAway = true
    }
    await sleep(pause, undefined, { signal }).catch(() => {})
  }
}

type Watch = {
  webhook: ListedWebhook
  /** What was told of each delivery last. */
  told: Map<string, string>
  /** Nothing is told of what is there already, unless it was asked for. */
  isQuiet: boolean
  /** Where the next look begins; null for the beginning. By the service's clock, which may differ from ours. */
  from: Date | null
}

async function renewWatches(
  connection: Connection,
  { webhookId, since, signal }: Tail,
  watches: Map<string, Watch>,
  isFirst: boolean,
): Promise<void> {
  const webhooks = await listWebhooks(connection, signal)
  const wanted = webhooks.filter(({ id }) => webhookId === null || id === webhookId)
  if (webhookId !== null && wanted.length === 0)
    throw new OperatorError(`There is no webhook ${webhookId} of this application in ${connection.environment}.`)
  for (const id of watches.keys()) if (!wanted.some((webhook) => webhook.id === id)) watches.delete(id)
  for (const webhook of wanted)
    if (!watches.has(webhook.id))
      watches.set(webhook.id, { webhook, told: new Map(), isQuiet: isFirst && since === null, from: since })
}

async function lookAt(connection: Connection, output: Output, watch: Watch, signal: AbortSignal): Promise<void> {
  const found = await deliveriesFrom(connection, watch, signal)
  for (const delivery of found.toReversed()) {
    const now = `${delivery.state} ${delivery.reason} ${delivery.attempts}`
    const before = watch.told.get(delivery.id)
    watch.told.set(delivery.id, now)
    if (before !== now && !watch.isQuiet) tell(output, watch.webhook, delivery, before !== undefined)
  }
  const wasQuiet = watch.isQuiet
  watch.isQuiet = false
  for (const id of watch.told.keys()) {
    if (watch.told.size <= MOST_REMEMBERED) break
    watch.told.delete(id)
  }
  watch.from = nextFrom(found, watch.from, wasQuiet)
}

/**
 * A little before the newest, or with the oldest that is still to change. After the first look no further back than it went:
 * what is beyond was not seen, and would be told as if it were new.
 */
function nextFrom(found: readonly ListedDelivery[], before: Date | null, wasFirst: boolean): Date | null {
  const [newest] = found
  const oldest = found.at(-1)
  if (newest === undefined || oldest === undefined) return before
  const open = found.findLast(({ finishedAt }) => finishedAt === null)
  const latest = Date.parse(newest.createdAt) - OVERLAP_MS
  const isTooMuch = found.length >= PAGE * MOST_PAGES
  const wanted = open === undefined || isTooMuch ? latest : Math.min(latest, Date.parse(open.createdAt))
  const floor = wasFirst && found.length >= PAGE ? Date.parse(oldest.createdAt) + 1 : wanted
  return new Date(Math.max(wanted, floor))
}

/** Newest first, from the watch's moment on; the first look of a quiet one needs no more than where things stand. */
async function deliveriesFrom(connection: Connection, watch: Watch, signal: AbortSignal): Promise<ListedDelivery[]> {
  const { webhook, from, isQuiet } = watch
  const found: ListedDelivery[] = []
  let cursor: string | null = null
  for (let page = 0; page < (isQuiet ? 1 : MOST_PAGES); page += 1) {
    const query = new URLSearchParams({ limit: String(PAGE) })
    if (from !== null) query.set('from', from.toISOString())
    if (cursor !== null) query.set('cursor', cursor)
    const path: string = `/webhooks/${webhook.kind}/${webhook.id}/deliveries?${query.toString()}`
    const answer = await callAboutListed(connection, { method: 'GET', path, signal })
    found.push(...itemsOf(answer, 'data').map(deliveryFrom))
    cursor = textOf(answer, 'next')
    if (cursor === null) break
  }
  return found
}

function tell(output: Output, webhook: ListedWebhook, delivery: ListedDelivery, isChange: boolean): void {
  const { paint } = output
  // When an attempt was made is not in the list; a change was noticed just now.
  const at = isChange ? new Date() : new Date(delivery.createdAt)
  const text = [
    paint.faint(at.toTimeString().slice(0, 8)),
    delivery.type,
    delivery.eventId,
    delivery.id,
    stateInWords(delivery, paint),
    paint.faint(attemptsInWords(delivery.attempts)),
  ].join('  ')
  output.record({ webhookId: webhook.id, kind: webhook.kind, delivery: delivery.told }, text)
}

const UNITS: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** `10m` ago, or a moment. */
export function readSince(text: string | undefined, now: Date): Date | null {
  if (text === undefined) return null
  const [, count, unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? []
  const ago = Number(count) * (UNITS[unit] ?? Number.NaN)
  if (!Number.isNaN(ago)) return new Date(now.getTime() - ago)
  const moment = new Date(text)
  if (/^\d{4}-\d{2}-\d{2}/.test(text) && !Number.isNaN(moment.getTime())) return moment
  throw new OperatorError('--since takes 30s, 10m, 2h, 1d, or a moment such as 2026-11-15T08:00:00Z')
}
