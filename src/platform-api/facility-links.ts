import { Type } from 'typebox'
import { changeLinks, type LinkKind, listLinks } from '../domain/facilities/facility-link-store.ts'
import type { Parameter } from '../http/operation.ts'
import { pageJson, pageQuery, readPageQuery } from '../http/page-query.ts'
import { Problem } from '../http/problem.ts'
import { FACILITY_ID, noFacility } from './facilities.ts'
import { idFault, pathId } from './ids.ts'
import { LINK_WORDS, type LinkWords } from './link-kinds.ts'
import type { PlatformCall, PlatformOperation } from './platform-call.ts'

/** PUT /facilities/:facilityId/people/:userId and …/applications/:applicationId */
export function linkFacility(kind: LinkKind): PlatformOperation {
  const words = LINK_WORDS[kind]
  return {
    method: 'PUT',
    path: `/facilities/:facilityId/${words.noun}/:${words.otherId}`,
    id: words.ids.add,
    tag: words.tag,
    summary: kind === 'access' ? 'Give a person access to a facility' : 'Connect an application to a facility',
    description: `${words.meaning} Saying it again changes nothing.`,
    parameters: pathOf(words),
    answers: { 204: { description: 'It is so.' } },
    problems: ['not_found'],
    run: (call) => change(call, kind, 'add'),
  }
}

/** DELETE of the same */
export function unlinkFacility(kind: LinkKind): PlatformOperation {
  const words = LINK_WORDS[kind]
  return {
    method: 'DELETE',
    path: `/facilities/:facilityId/${words.noun}/:${words.otherId}`,
    id: words.ids.remove,
    tag: words.tag,
    summary:
      kind === 'access' ? 'Withdraw a person’s access to a facility' : 'Disconnect an application from a facility',
    description: `Saying it again changes nothing. A facility or ${words.other} that is not there is 404, so that a misspelt id does not pass for done.`,
    parameters: pathOf(words),
    answers: { 204: { description: 'It is so.' } },
    problems: ['not_found'],
    run: (call) => change(call, kind, 'remove'),
  }
}

/** GET /facilities/:facilityId/people and …/applications */
export function listFacilityLinks(kind: LinkKind): PlatformOperation {
  const words = LINK_WORDS[kind]
  const item = Type.Object({ [words.otherId]: Type.String(), [words.since]: Type.String({ format: 'date-time' }) })
  const example = { [words.otherId]: words.exampleId, [words.since]: '2026-11-15T08:00:00.000Z' }
  return {
    method: 'GET',
    path: `/facilities/:facilityId/${words.noun}`,
    id: words.ids.list,
    tag: words.tag,
    summary: kind === 'access' ? 'List who has access to a facility' : 'List the applications of a facility',
    description: 'In the order of their ids.',
    parameters: FACILITY_ID,
    query: pageQuery((id) => idFault(id) === null),
    answers: {
      200: {
        description: 'A page of them.',
        schema: Type.Object({
          data: Type.Array(item),
          next: Type.Unsafe<string | null>({
            type: ['string', 'null'],
            description: 'The `cursor` of the next page, or null when this is the last.',
          }),
        }),
        example: { data: [example], next: null },
      },
    },
    problems: ['not_found'],
    run: async (call) => {
      const facility = { environment: call.key.environment, id: pathId(call, 'facilityId') }
      const { last: after, limit } = readPageQuery(call.query)
      // One more than asked for tells whether there is another page.
      const links = await listLinks(call.db, kind, facility, { after, limit: limit + 1 })
      if (links === null) throw noFacility()
      const found = links.map(({ otherId, since }) => ({ id: otherId, since }))
      return {
        status: 200,
        body: pageJson(found, limit, ({ id, since }) => ({ [words.otherId]: id, [words.since]: since.toISOString() })),
      }
    },
  }
}

async function change(call: PlatformCall, kind: LinkKind, what: 'add' | 'remove'): Promise<{ status: number }> {
  const { otherId, other, fault } = LINK_WORDS[kind]
  const link = { facilityId: pathId(call, 'facilityId'), otherId: pathId(call, otherId, fault) }
  const changed = await changeLinks(call.db, kind, what, call.key.environment, [link])
  if (changed.outcome === 'done') return { status: 204 }
  if (changed.facilities.size > 0) throw noFacility()
  throw new Problem(404, 'not_found', 'Not found', `There is no ${other} with this id.`)
}

function pathOf({ otherId, other, otherSchema }: LinkWords): Record<string, Parameter> {
  return { ...FACILITY_ID, [otherId]: { description: `The id of the ${other}.`, schema: otherSchema } }
}
