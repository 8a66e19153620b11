import { Type } from 'typebox'
import type { KnownFacility, SaidFacility } from '../domain/facilities/said-facility.ts'
import { fieldReader, type Read } from '../http/read-fields.ts'
import { FacilityId, faultAt, idFault } from './ids.ts'
import { readProfileFields } from './profile-fields.ts'
import type { Reading } from './read-batch.ts'

const text = (description: string) => Type.Unsafe<string | null>({ type: ['string', 'null'], description })

const said = {
  name: Type.String({ description: 'At most 100 characters.' }),
  city: Type.Optional(text('At most 100 characters.')),
  state: Type.Optional(text('At most 50 characters.')),
}

const strict = { additionalProperties: false }

export const FacilityFields = Type.Object(said, strict)
export const BatchFacility = Type.Object({ id: FacilityId, ...said }, strict)

export const Facility = Type.Object({
  id: FacilityId,
  environment: Type.Enum(['production', 'sandbox'], { type: 'string' }),
  name: Type.String(),
  city: text('Where the facility is.'),
  state: text('The state of that city.'),
  createdAt: Type.String({ format: 'date-time' }),
})

export const FacilityAnswer = Type.Object({ data: Facility })
export const FacilitiesAnswer = Type.Object({ data: Type.Array(Facility) })

export const FACILITY_EXAMPLE = {
  id: 'facility-17',
  environment: 'production',
  name: 'Riverside Care Center',
  city: 'Portland',
  state: 'OR',
  createdAt: '2026-11-15T08:00:00.000Z',
}

export function facilityJson({ createdAt, ...facility }: KnownFacility): object {
  return { ...facility, createdAt: createdAt.toISOString() }
}

const readSingle = fieldReader<Omit<SaidFacility, 'id'>>(FacilityFields)
const readOfBatch = fieldReader<SaidFacility>(BatchFacility)

/** The body of one facility; the id stands in the path. */
export function readFacilityFields(id: string, raw: unknown): Reading<SaidFacility> {
  const { sound, faults } = readSingle(raw)
  return facilityFrom({ sound: { ...sound, id }, faults })
}

/** One facility of a batch. */
export function readBatchFacility(raw: unknown): Reading<SaidFacility> {
  const { sound, faults } = readOfBatch(raw)
  const { id } = sound
  return facilityFrom({ sound, faults: [...faults, ...(id === undefined ? [] : faultAt('/id', idFault(id)))] })
}

function facilityFrom({ sound, faults: schemaFaults }: Read<SaidFacility>): Reading<SaidFacility> {
  const { id, ...given } = sound
  const { profile, faults: profileFaults } = readProfileFields(given)
  const faults = [...schemaFaults, ...profileFaults]
  if (faults.length > 0 || profile === null || id === undefined) return { faults }
  return {
    value: {
      id,
      name: profile.name,
      ...(given.city !== undefined && { city: profile.city }),
      ...(given.state !== undefined && { state: profile.state }),
    },
  }
}
