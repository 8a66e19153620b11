import type { Facility } from './facility.ts'

/** What the marketplace says of a facility. What it leaves out stays as it is; null empties it. */
export type SaidFacility = Pick<Facility, 'id' | 'name'> & Partial<Pick<Facility, 'city' | 'state'>>

/** A facility with the time it was first spoken of. */
export type KnownFacility = Facility & { createdAt: Date }

export function facilityAfter(
  known: KnownFacility | null,
  said: SaidFacility,
  environment: Facility['environment'],
): Facility {
  return {
    environment,
    id: said.id,
    name: said.name,
    city: said.city === undefined ? (known?.city ?? null) : said.city,
    state: said.state === undefined ? (known?.state ?? null) : said.state,
  }
}
