import { acceptEventsOperation } from './events.ts'
import { deleteFacility, readFacility, upsertFacility } from './facilities.ts'
import { batchDeleteFacilities, batchUpsertFacilities } from './facilities-batch.ts'
import { linkFacility, listFacilityLinks, unlinkFacility } from './facility-links.ts'
import { batchLinkFacilities, batchUnlinkFacilities } from './facility-links-batch.ts'
import { deletePerson, readPerson, upsertPerson } from './people.ts'
import { batchDeletePeople, batchUpsertPeople } from './people-batch.ts'
import type { PlatformOperation } from './platform-call.ts'

/** By noun, and in the order in which the marketplace needs them. */
export const OPERATIONS: readonly PlatformOperation[] = [
  upsertPerson,
  readPerson,
  deletePerson,
  batchUpsertPeople,
  batchDeletePeople,

  upsertFacility,
  readFacility,
  deleteFacility,
  batchUpsertFacilities,
  batchDeleteFacilities,

  linkFacility('access'),
  unlinkFacility('access'),
  listFacilityLinks('access'),
  batchLinkFacilities('access'),
  batchUnlinkFacilities('access'),

  linkFacility('connection'),
  unlinkFacility('connection'),
  listFacilityLinks('connection'),
  batchLinkFacilities('connection'),
  batchUnlinkFacilities('connection'),

  acceptEventsOperation,
]
