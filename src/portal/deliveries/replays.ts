import type { FastifyReply } from 'fastify'
import { countReplayable, listReplays } from '../../domain/deliveries/replay-list-store.ts'
import { beginTeamReplay, cancelTeamReplay } from '../../domain/team-webhooks/send-again.ts'
import { may } from '../../domain/teams/team.ts'
import { typedMoment } from '../../http/moment.ts'
import { parameterOf } from '../../http/path-parameter.ts'
import { notFound } from '../../http/problem.ts'
import { doneNotice, goDone } from '../threshold/done.ts'
import type { PortalRoute } from '../threshold/hang-routes.ts'
import {
  atWebhook,
  charged,
  type InWebhook,
  inWebhook,
  SLOW_DOWN,
  sendInWebhook,
  WHILE_DISABLED,
  webhookPath,
  workOf,
} from '../threshold/in-webhook.ts'
import type { PortalParts } from '../threshold/parts.ts'
import { goTo } from '../threshold/visit.ts'
import { type ReplayFaults, readRange, type TypedReplay, typedReplay } from './replay-range.ts'
import { newReplayContent, replayNotices, replaysContent } from './replays-view.ts'

const PER_PAGE = 25
const DAY_MS = 24 * 3_600_000

/** …/webhooks/:webhook/replays: those that ran and run, and a new one: counted first, begun then (decisions C11, D9). */
export function replayRoutes(parts: PortalParts): PortalRoute[] {
  const { db } = parts

  async function showAll(visit: InWebhook): Promise<FastifyReply> {
    const { webhook, query, team, browser } = visit
    const before = /^rpl_[0-9a-f]{32}$/.exec(query.get('before') ?? '')?.[0] ?? null
    const found = await listReplays(db, webhook.id, { before, limit: PER_PAGE + 1 })
    const replays = found.slice(0, PER_PAGE)
    const content = replaysContent({
      at: `/portal${webhookPath(visit)}`,
      csrf: browser.csrf,
      replays,
      older: found.length > PER_PAGE ? (replays.at(-1)?.id ?? null) : null,
      isFirstPage: before === null,
      maySend: may(team.role, 'delivery.send'),
    })
    const page = { title: 'Replays', place: 'replays' as const, content, notices: doneNotice(visit) }
    return sendInWebhook(parts, visit, 200, page)
  }

  async function showNew(
    visit: InWebhook,
    status: number,
    typed: TypedReplay,
    { count = null, faults = {} }: { count?: number | null; faults?: ReplayFaults },
  ): Promise<FastifyReply> {
    const at = `/portal${webhookPath(visit)}`
    const content = newReplayContent({ at, csrf: visit.browser.csrf, webhook: visit.webhook, typed, count, faults })
    const page = { title: 'Replay deliveries', place: 'replays' as const, content, notices: replayNotices(faults) }
    return sendInWebhook(parts, visit, status, page)
  }

  /** Without a range it is the form; with one it says how many would be sent, and asks. */
  async function countFirst(visit: InWebhook): Promise<FastifyReply> {
    const { webhook, query } = visit
    const typed = typedReplay((name) => query.get(name))
    if (!query.has('from')) return showNew(visit, 200, lastDay(parts.clock()), {})
    const read = readRange(typed)
    if ('faults' in read) return showNew(visit, 400, typed, { faults: read.faults })
    if (!charged(parts, visit, 'replay')) return showNew(visit, 429, typed, { faults: { page: SLOW_DOWN } })
    return showNew(visit, 200, typed, { count: await countReplayable(db, webhook.id, read.range) })
  }

  async function begin(visit: InWebhook): Promise<FastifyReply> {
    const { webhook, form, reply } = visit
    const typed = typedReplay(form.get)
    const read = readRange(typed)
    if ('faults' in read) return showNew(visit, 400, typed, { faults: read.faults })
    if (!charged(parts, visit, 'replay')) return showNew(visit, 429, typed, { faults: { page: SLOW_DOWN } })
    const begun = await beginTeamReplay(parts, workOf(visit), webhook.id, read.range)
    switch (begun.outcome) {
      case 'begun':
        return goDone(reply, `${webhookPath(visit)}/replays`, 'replay-begun')
      case 'running':
        return showNew(visit, 409, typed, {
          faults: { page: 'A replay of this webhook runs already. Wait for its end, or cancel it.' },
        })
      case 'disabled':
        return showNew(visit, 409, typed, {
          faults: { page: WHILE_DISABLED },
        })
      case 'unknown':
        throw notFound()
    }
  }

  async function cancel(visit: InWebhook): Promise<FastifyReply> {
    const replayId = parameterOf(visit.request, 'replay')
    const cancelled = await cancelTeamReplay(parts, workOf(visit), { webhookId: visit.webhook.id, replayId })
    const list = `${webhookPath(visit)}/replays`
    // One that is over by itself needs no word about it: the list says so.
    return cancelled ? goDone(visit.reply, list, 'replay-cancelled') : goTo(visit.reply, list)
  }

  return [
    { method: 'GET', path: atWebhook('/replays'), who: 'delivery.see', answer: inWebhook(parts, showAll) },
    { method: 'POST', path: atWebhook('/replays'), who: 'delivery.send', answer: inWebhook(parts, begin) },
    { method: 'GET', path: atWebhook('/replays/new'), who: 'delivery.send', answer: inWebhook(parts, countFirst) },
    {
      method: 'POST',
      path: atWebhook('/replays/:replay/cancel'),
      who: 'delivery.send',
      answer: inWebhook(parts, cancel),
    },
  ]
}

function lastDay(now: Date): TypedReplay {
  return { from: typedMoment(new Date(now.getTime() - DAY_MS)), to: typedMoment(now), states: ['failed'] }
}
