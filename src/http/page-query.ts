import { Type } from 'typebox'
import { type Parameter, queryFault } from './operation.ts'
import type { FieldProblem } from './problem.ts'
import { wrongFields } from './read-fields.ts'

const LARGEST_PAGE = 100
const USUAL_PAGE = 50

/** Lists are read page by page (decision C1): `next` of one page is the `cursor` of the one after it. */
export const PAGE_QUERY: Record<string, Parameter> = {
  cursor: { description: 'The `next` of the page before.', schema: Type.String({ minLength: 1, maxLength: 100 }) },
  limit: {
    description: 'How many at most.',
    schema: Type.Integer({ minimum: 1, maximum: LARGEST_PAGE, default: USUAL_PAGE }),
  },
}

/**
 * The last id of a page is where the next one begins, whatever came or went meanwhile. `isId` says whether it is one of this
 * list; `others` is what else is wrong with the query, so that all of it is told at once.
 */
export function readPageQuery(
  query: Record<string, string>,
  isId: (id: string) => boolean,
  others: readonly FieldProblem[] = [],
): { last: string | null; limit: number } {
  const { cursor, limit = String(USUAL_PAGE) } = query
  const last = cursor === undefined ? null : Buffer.from(cursor, 'base64url').toString('latin1')
  const faults = [
    ...(last === null || isId(last)
      ? []
      : [queryFault('cursor', 'malformed', 'is not a cursor of this list. Begin without one.')]),
    ...(/^[1-9]\d{0,2}$/.test(limit) && Number(limit) <= LARGEST_PAGE
      ? []
      : [queryFault('limit', 'out_of_range', `must be a number from 1 to ${LARGEST_PAGE}.`)]),
    ...others,
  ]
  if (faults.length > 0) throw wrongFields(faults)
  return { last, limit: Number(limit) }
}

/** `found` has one more than the page when there is another page. */
export function pageJson<Item extends { id: string }>(
  found: readonly Item[],
  limit: number,
  json: (item: Item) => unknown,
): { data: unknown[]; next: string | null } {
  const page = found.slice(0, limit)
  const last = page.at(-1)
  return { data: page.map(json), next: found.length > limit && last ? cursorAfter(last.id) : null }
}

export function cursorAfter(id: string): string {
  return Buffer.from(id, 'latin1').toString('base64url')
}
