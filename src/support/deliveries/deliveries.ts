import type { FastifyReply } from 'fastify'
import { isDeliveryId } from '../../domain/deliveries/delivery-id.ts'
import type { FoundPage, SearchedPlace } from '../../domain/deliveries/delivery-search.ts'
import { deliveriesOfEvent, searchDeliveries } from '../../domain/deliveries/delivery-search-store.ts'
import { webhookIdsOf } from '../../domain/webhooks/webhook-facts-store.ts'
import type { Db } from '../../platform/db.ts'
import { sendFramed } from '../threshold/frame.ts'
import type { SupportRoute } from '../threshold/hang-routes.ts'
import type { SupportParts } from '../threshold/parts.ts'
import { type AtDesk, goTo } from '../threshold/visit.ts'
import { deliveriesContent } from './deliveries-view.ts'
import { type ReadSearch, readSearch } from './delivery-filter.ts'

const PER_PAGE = 50
/** Of an application that has more, the newest so many are looked into. */
const MOST_WEBHOOKS = 200

/** /support/deliveries: of everybody, newest first, without what is in them. An id of a delivery leads straight to it. */
export function deliveriesRoutes({ db }: SupportParts): SupportRoute[] {
  async function show(visit: AtDesk): Promise<FastifyReply> {
    const { query, reply } = visit
    const read = readSearch(query)
    const { typed, faults } = read
    const isFaulty = Object.keys(faults).length > 0
    if (typed.delivery !== '' && !isFaulty) return goTo(reply, `/deliveries/${typed.delivery}`)
    const asked = query.get('before') ?? ''
    const before = isDeliveryId(asked) ? asked : null
    const page = isFaulty ? { found: [], older: null } : await find(db, read, before)
    const content = deliveriesContent({ ...page, typed, faults, isFirstPage: before === null })
    return sendFramed(visit, isFaulty ? 400 : 200, { title: 'Deliveries', place: 'deliveries', content })
  }

  return [{ method: 'GET', path: '/deliveries', who: 'staff', answer: show }]
}

async function find(db: Db, { typed, search }: ReadSearch, before: string | null): Promise<FoundPage> {
  if (typed.event === '')
    return searchDeliveries(db, await placeOf(db, typed, search), search, { before, limit: PER_PAGE })
  // An event has one delivery for each webhook: what else was typed only leaves some of them out.
  const all = await deliveriesOfEvent(db, typed.event)
  const found = all.filter(
    ({ state, environment, webhookId, webhook }) =>
      (search.state === null || state === search.state) &&
      (search.environment === null || environment === search.environment) &&
      (typed.webhook === '' || webhookId === typed.webhook) &&
      (typed.application === '' || webhook?.applicationId === typed.application),
  )
  return { found, older: null }
}

async function placeOf(
  db: Db,
  typed: ReadSearch['typed'],
  { environment }: ReadSearch['search'],
): Promise<SearchedPlace> {
  if (typed.webhook !== '') return [typed.webhook]
  if (typed.application === '') return 'everywhere'
  return webhookIdsOf(db, { applicationId: typed.application, environment }, MOST_WEBHOOKS)
}
