import { deleteFacilities, upsertFacilities } from '../domain/facilities/facility-upsert-store.ts'
import { requiredBody } from '../http/operation.ts'
import {
  BatchFacility,
  FACILITY_EXAMPLE,
  FacilitiesAnswer,
  facilityJson,
  readBatchFacility,
} from './facility-schemas.ts'
import { FacilityId, idFault } from './ids.ts'
import type { PlatformOperation } from './platform-call.ts'
import { batchOf, readBatch, readIds } from './read-batch.ts'

/** POST /facilities/batch */
export const batchUpsertFacilities: PlatformOperation = {
  method: 'POST',
  path: '/facilities/batch',
  id: 'batchUpsertFacilities',
  tag: 'Facilities',
  summary: 'Create or update up to 500 facilities',
  description: 'Each as in the operation for one facility, with its `id`. All or none.',
  body: {
    schema: batchOf(BatchFacility),
    example: [{ id: FACILITY_EXAMPLE.id, name: FACILITY_EXAMPLE.name, city: 'Portland', state: 'OR' }],
  },
  answers: {
    200: {
      description: 'The facilities as they are now, in the order they came.',
      schema: FacilitiesAnswer,
      example: { data: [FACILITY_EXAMPLE] },
    },
  },
  problems: [],
  run: async (call) => {
    const said = readBatch(requiredBody(call), readBatchFacility, { keyOf: ({ id }) => id, keyAt: '/id' })
    const facilities = await upsertFacilities(call.db, call.key.environment, said)
    return { status: 200, body: { data: facilities.map(({ facility }) => facilityJson(facility)) } }
  },
}

/** POST /facilities/batch-delete */
export const batchDeleteFacilities: PlatformOperation = {
  method: 'POST',
  path: '/facilities/batch-delete',
  id: 'batchDeleteFacilities',
  tag: 'Facilities',
  summary: 'Delete up to 500 facilities',
  description: 'Each as in the operation for one facility. All or none; what is not there is no error.',
  body: { schema: batchOf(FacilityId), example: [FACILITY_EXAMPLE.id] },
  answers: { 204: { description: 'None of them is there any more.' } },
  problems: [],
  run: async (call) => {
    await deleteFacilities(call.db, call.key.environment, readIds(requiredBody(call), idFault))
    return { status: 204 }
  },
}
