import { type TObject, type TSchema, Type } from 'typebox'
import type { LinkKind } from '../domain/facilities/facility-link-store.ts'
import { ApplicationId, FacilityId, idFault, PersonId, personIdFault } from './ids.ts'

/** A person's access to a facility and an application's connection to one are the same operations in other words. */
export type LinkWords = {
  tag: string
  /** The path of batches, under the prefix. */
  batch: string
  /** Under the facility: `/people/:userId`. */
  noun: 'people' | 'applications'
  /** How the other end is named in paths and bodies. */
  otherId: 'userId' | 'applicationId'
  other: string
  /** Of the operations' ids: `grantAccess`. */
  ids: { add: string; remove: string; list: string; batchAdd: string; batchRemove: string }
  /** What it means that there is one. */
  meaning: string
  since: 'grantedAt' | 'connectedAt'
  unknown: 'unknown_person' | 'unknown_application'
  fault: (id: string) => string | null
  otherSchema: TSchema
  exampleId: string
}

export const LINK_WORDS: Record<LinkKind, LinkWords> = {
  access: {
    tag: 'Access',
    batch: '/access',
    noun: 'people',
    otherId: 'userId',
    other: 'person',
    ids: {
      add: 'grantAccess',
      remove: 'withdrawAccess',
      list: 'listPeopleOfFacility',
      batchAdd: 'batchGrantAccess',
      batchRemove: 'batchWithdrawAccess',
    },
    meaning: 'Integrators see the facility with this person’s token, and the person’s webhooks may get its events.',
    since: 'grantedAt',
    unknown: 'unknown_person',
    fault: personIdFault,
    otherSchema: PersonId,
    exampleId: 'nurse-4711',
  },
  connection: {
    tag: 'Connections',
    batch: '/connections',
    noun: 'applications',
    otherId: 'applicationId',
    other: 'application',
    ids: {
      add: 'connectApplication',
      remove: 'disconnectApplication',
      list: 'listApplicationsOfFacility',
      batchAdd: 'batchConnectApplications',
      batchRemove: 'batchDisconnectApplications',
    },
    meaning: 'The application sees the facility with a token of its own, and its own webhooks may get its events.',
    since: 'connectedAt',
    unknown: 'unknown_application',
    fault: idFault,
    otherSchema: ApplicationId,
    exampleId: 'app_0198a6c2d1f07c3e9a41b7d2e5f60719',
  },
}

export function linkSchema({ otherId, otherSchema }: LinkWords): TObject {
  return Type.Object({ facilityId: FacilityId, [otherId]: otherSchema }, { additionalProperties: false })
}
