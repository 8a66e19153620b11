import { changeLinks, type FacilityLink, type LinkKind } from '../domain/facilities/facility-link-store.ts'
import { requiredBody } from '../http/operation.ts'
import type { FieldProblem } from '../http/problem.ts'
import { fieldReader, wrongFields } from '../http/read-fields.ts'
import { faultAt, idFault } from './ids.ts'
import { LINK_WORDS, type LinkWords, linkSchema } from './link-kinds.ts'
import type { PlatformCall, PlatformOperation } from './platform-call.ts'
import { batchOf, type Reading, readBatch } from './read-batch.ts'

/** POST /access/batch and /connections/batch */
export function batchLinkFacilities(kind: LinkKind): PlatformOperation {
  const words = LINK_WORDS[kind]
  return {
    ...batchDocumentation(words),
    path: `${words.batch}/batch`,
    id: words.ids.batchAdd,
    summary: kind === 'access' ? 'Give access to up to 500 facilities' : 'Connect up to 500 facilities',
    description: `${words.meaning} All or none; what is so already stays so.`,
    run: changer(kind, 'add'),
  }
}

/** POST /access/batch-delete and /connections/batch-delete */
export function batchUnlinkFacilities(kind: LinkKind): PlatformOperation {
  const words = LINK_WORDS[kind]
  return {
    ...batchDocumentation(words),
    path: `${words.batch}/batch-delete`,
    id: words.ids.batchRemove,
    summary: kind === 'access' ? 'Withdraw access to up to 500 facilities' : 'Disconnect up to 500 facilities',
    description: `All or none. A facility or ${words.other} that is not there is an error; one that had no ${kind} is not.`,
    run: changer(kind, 'remove'),
  }
}

function batchDocumentation(words: LinkWords) {
  return {
    method: 'POST' as const,
    tag: words.tag,
    body: {
      schema: batchOf(linkSchema(words)),
      example: [{ facilityId: 'facility-17', [words.otherId]: words.exampleId }],
    },
    answers: { 204: { description: 'It is so, for all of them.' } },
    problems: [],
  }
}

function changer(kind: LinkKind, what: 'add' | 'remove'): PlatformOperation['run'] {
  const words = LINK_WORDS[kind]
  const read = linkReader(words)
  return async (call: PlatformCall) => {
    const links = readBatch(requiredBody(call), read, {
      // No id has a space in it.
      keyOf: ({ facilityId, otherId }) => `${facilityId} ${otherId}`,
      keyAt: '',
    })
    const changed = await changeLinks(call.db, kind, what, call.key.environment, links)
    if (changed.outcome === 'done') return { status: 204 }
    throw wrongFields(
      links.flatMap(({ facilityId, otherId }, position) => [
        ...unknownAt(`/${position}/facilityId`, changed.facilities.has(facilityId), 'unknown_facility', 'facility'),
        ...unknownAt(`/${position}/${words.otherId}`, changed.others.has(otherId), words.unknown, words.other),
      ]),
    )
  }
}

function linkReader(words: LinkWords): (raw: unknown) => Reading<FacilityLink> {
  const readFields = fieldReader<Record<string, string>>(linkSchema(words))
  return (raw) => {
    const { sound, faults: schemaFaults } = readFields(raw)
    const { facilityId } = sound
    const otherId = sound[words.otherId]
    const faults = [
      ...schemaFaults,
      ...(facilityId === undefined ? [] : faultAt('/facilityId', idFault(facilityId))),
      ...(otherId === undefined ? [] : faultAt(`/${words.otherId}`, words.fault(otherId))),
    ]
    if (faults.length > 0 || facilityId === undefined || otherId === undefined) return { faults }
    return { value: { facilityId, otherId } }
  }
}

function unknownAt(pointer: string, isUnknown: boolean, code: string, noun: string): FieldProblem[] {
  const where = noun === 'facility' ? ' in this environment' : ''
  return isUnknown ? [{ pointer, code, message: `There is no ${noun} with this id${where}.` }] : []
}
