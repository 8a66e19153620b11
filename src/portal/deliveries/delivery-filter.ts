import { DELIVERY_STATES, type DeliveryFilter } from '../../domain/deliveries/delivery.ts'
import { isDeliveryId } from '../../domain/deliveries/delivery-id.ts'
import { eventsOf } from '../../domain/webhooks/event-names.ts'
import type { WebhookKind } from '../../domain/webhooks/webhook.ts'
import { readTypedTimes } from '../../http/moment.ts'

/** The filter as it was typed, to be shown again. Empty where nothing was. */
export type TypedFilter = Record<'state' | 'type' | 'subject' | 'id' | 'from' | 'to', string>

export type FilterFaults = { from?: string; to?: string }

export type ReadFilter = {
  typed: TypedFilter
  filter: DeliveryFilter
  /** One delivery was asked for by its own id. */
  deliveryId: string | null
  faults: FilterFaults
}

const LONGEST_ID = 64

/** A state or type that we did not offer counts as none; a time that cannot be read is told. */
export function readFilter(query: URLSearchParams, kind: WebhookKind): ReadFilter {
  const text = (name: string) => (query.get(name) ?? '').trim()
  const id = text('id').slice(0, LONGEST_ID)
  const state = DELIVERY_STATES.find((each) => each === text('state')) ?? null
  const type = eventsOf(kind).find((each) => each === text('type')) ?? null
  const subject = text('subject').slice(0, LONGEST_ID)
  const times = { from: text('from'), to: text('to') }
  const { from, to, faults } = readTypedTimes(times)
  return {
    typed: { state: state ?? '', type: type ?? '', subject, id, ...times },
    filter: {
      state,
      type,
      subjectId: subject || null,
      eventId: id === '' || isDeliveryId(id) ? null : id,
      from,
      to,
    },
    deliveryId: isDeliveryId(id) ? id : null,
    faults,
  }
}

/** The same filter in the address of the next page. */
export function filterQuery(typed: TypedFilter, more: Record<string, string> = {}): string {
  const set = Object.entries({ ...typed, ...more }).filter(([, value]) => value !== '')
  return new URLSearchParams(set).toString()
}

export function isFiltering(typed: TypedFilter): boolean {
  return Object.values(typed).some((value) => value !== '')
}
