import { DELIVERY_STATES } from '../../domain/deliveries/delivery.ts'
import { isDeliveryId } from '../../domain/deliveries/delivery-id.ts'
import type { DeliverySearch } from '../../domain/deliveries/delivery-search.ts'
import { ENVIRONMENTS } from '../../domain/environment.ts'
import { readTypedTimes } from '../../http/moment.ts'

/** As it stands in the fields of the page. Empty where nothing was typed. */
export type TypedSearch = Record<
  'delivery' | 'event' | 'webhook' | 'application' | 'environment' | 'state' | 'from' | 'to',
  string
>

export type SearchFaults = { delivery?: string; from?: string; to?: string }

export type ReadSearch = { typed: TypedSearch; search: DeliverySearch; faults: SearchFaults }

const LONGEST = 320

/** An environment or state that we did not offer counts as none; what cannot be read is told, because nothing found would mislead. */
export function readSearch(query: URLSearchParams): ReadSearch {
  const text = (name: string) => (query.get(name) ?? '').trim().slice(0, LONGEST)
  const environment = ENVIRONMENTS.find((each) => each === text('environment')) ?? null
  const state = DELIVERY_STATES.find((each) => each === text('state')) ?? null
  const times = { from: text('from'), to: text('to') }
  const { from, to, faults } = readTypedTimes(times)
  const delivery = text('delivery')
  return {
    typed: {
      delivery,
      event: text('event'),
      webhook: text('webhook'),
      application: text('application'),
      environment: environment ?? '',
      state: state ?? '',
      ...times,
    },
    search: { environment, state, from, to },
    faults: {
      ...(delivery !== '' &&
        !isDeliveryId(delivery) && { delivery: 'Ids of deliveries look like dlv_… (36 characters).' }),
      ...faults,
    },
  }
}

/** The same search in the address of the next page. */
export function searchQuery(typed: TypedSearch, more: Record<string, string> = {}): string {
  const set = Object.entries({ ...typed, ...more }).filter(([, value]) => value !== '')
  return new URLSearchParams(set).toString()
}
