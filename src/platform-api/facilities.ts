import { deleteFacilities, findFacilities, upsertFacilities } from '../domain/facilities/facility-upsert-store.ts'
import { type Parameter, requiredBody } from '../http/operation.ts'
import { Problem } from '../http/problem.ts'
import { wrongFields } from '../http/read-fields.ts'
import {
  FACILITY_EXAMPLE,
  FacilityAnswer,
  FacilityFields,
  facilityJson,
  readFacilityFields,
} from './facility-schemas.ts'
import { FacilityId, pathId } from './ids.ts'
import type { PlatformOperation } from './platform-call.ts'

export const FACILITY_ID: Record<string, Parameter> = {
  facilityId: { description: 'The marketplace’s own id of the facility.', schema: FacilityId },
}

/** A facility of the other environment is not there either (decision B1). */
export function noFacility(): Problem {
  return new Problem(404, 'not_found', 'Not found', 'There is no facility with this id in this environment.')
}

/** PUT /facilities/:facilityId */
export const upsertFacility: PlatformOperation = {
  method: 'PUT',
  path: '/facilities/:facilityId',
  id: 'upsertFacility',
  tag: 'Facilities',
  summary: 'Create or update a facility',
  description: 'In the environment of the key. What is left out stays as it is, `null` empties it.',
  parameters: FACILITY_ID,
  body: { schema: FacilityFields, example: { name: FACILITY_EXAMPLE.name, city: 'Portland', state: 'OR' } },
  answers: {
    200: { description: 'The facility as it is now.', schema: FacilityAnswer, example: { data: FACILITY_EXAMPLE } },
    201: { description: 'The facility is new.', schema: FacilityAnswer, example: { data: FACILITY_EXAMPLE } },
  },
  problems: [],
  run: async (call) => {
    const read = readFacilityFields(pathId(call, 'facilityId'), requiredBody(call))
    if ('faults' in read) throw wrongFields(read.faults)
    const [one] = await upsertFacilities(call.db, call.key.environment, [read.value])
    return { status: one?.isNew ? 201 : 200, body: { data: one && facilityJson(one.facility) } }
  },
}

/** GET /facilities/:facilityId */
export const readFacility: PlatformOperation = {
  method: 'GET',
  path: '/facilities/:facilityId',
  id: 'readFacility',
  tag: 'Facilities',
  summary: 'Read a facility',
  description: 'The facility as Handover knows it in the environment of the key.',
  parameters: FACILITY_ID,
  answers: { 200: { description: 'The facility.', schema: FacilityAnswer, example: { data: FACILITY_EXAMPLE } } },
  problems: ['not_found'],
  run: async (call) => {
    const id = pathId(call, 'facilityId')
    const facility = (await findFacilities(call.db, call.key.environment, [id])).get(id)
    if (facility === undefined) throw noFacility()
    return { status: 200, body: { data: facilityJson(facility) } }
  },
}

/** DELETE /facilities/:facilityId */
export const deleteFacility: PlatformOperation = {
  method: 'DELETE',
  path: '/facilities/:facilityId',
  id: 'deleteFacility',
  tag: 'Facilities',
  summary: 'Delete a facility',
  description:
    'With the facility go people’s access to it, applications’ connections, and its place in webhooks. Deleting one that is not there is no error.',
  parameters: FACILITY_ID,
  answers: { 204: { description: 'There is no such facility any more.' } },
  problems: [],
  run: async (call) => {
    await deleteFacilities(call.db, call.key.environment, [pathId(call, 'facilityId')])
    return { status: 204 }
  },
}
