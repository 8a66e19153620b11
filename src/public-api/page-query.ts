import { Type } from 'typebox'
import { type Parameter, queryFault } from '../http/operation.ts'
import type { FieldProblem } from '../http/problem.ts'
import { wrongFields } from '../http/read-fields.ts'

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
 * Ids sort by time, so the last id of a page is where the next one begins. `others` is what else is wrong with the query, so
 * that all of it is told at once.
 */
export function readPageQuery(
  query: Record<string, string>,
  prefix: string,
  others: readonly FieldProblem[] = [],
): { before: string | null; limit: number } {
  const { cursor, limit = String(USUAL_PAGE) } = query
  const before = cursor === undefined ? null : Buffer.from(cursor, 'base64url').toString('latin1')
  const faults = [
    ...(before === null || new RegExp(`^${prefix}_[0-9a-f]{32}$`).test(before)
      ? []
      : [queryFault('cursor', 'malformed', 'is not a cursor of this list. Begin without one.')]),
    ...(/^[1-9]\d{0,2}$/.test(limit) && Number(limit) <= LARGEST_PAGE
      ? []
      : [queryFault('limit', 'out_of_range', `must be a number from 1 to ${LARGEST_PAGE}.`)]),
    ...others,
  ]
  if (faults.length > 0) throw wrongFields(faults)
  return { before, limit: Number(limit) }
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
