import { Type } from 'typebox'
import { type Parameter, queryFault } from '../http/operation.ts'
import { wrongFields } from '../http/read-fields.ts'
import { idFault } from './ids.ts'

const LARGEST_PAGE = 100

/** Lists are read page by page (decision C1): `next` of one page is the `cursor` of the one after it. */
export const PAGE_QUERY: Record<string, Parameter> = {
  cursor: { description: 'The `next` of the page before.', schema: Type.String({ minLength: 1, maxLength: 100 }) },
  limit: {
    description: 'How many at most.',
    schema: Type.Integer({ minimum: 1, maximum: LARGEST_PAGE, default: LARGEST_PAGE }),
  },
}

/** A cursor is the last id of its page; what is after it is the next page, whatever came or went meanwhile. */
export function readPageQuery(query: Record<string, string>): { after: string | null; limit: number } {
  const { cursor, limit = String(LARGEST_PAGE) } = query
  const after = cursor === undefined ? null : Buffer.from(cursor, 'base64url').toString('latin1')
  const faults = [
    ...(after === null || idFault(after) === null
      ? []
      : [queryFault('cursor', 'malformed', 'is not a cursor of this list. Begin without one.')]),
    ...(/^[1-9]\d{0,2}$/.test(limit) && Number(limit) <= LARGEST_PAGE
      ? []
      : [queryFault('limit', 'out_of_range', `must be a number from 1 to ${LARGEST_PAGE}.`)]),
  ]
  if (faults.length > 0) throw wrongFields(faults)
  return { after, limit: Number(limit) }
}

/** `found` has one more than the page when there is another page. */
export function pageOf<Item>(
  found: readonly Item[],
  limit: number,
  idOf: (item: Item) => string,
): { page: Item[]; next: string | null } {
  const page = found.slice(0, limit)
  const last = page.at(-1)
  const next =
    found.length > limit && last !== undefined ? Buffer.from(idOf(last), 'latin1').toString('base64url') : null
  return { page, next }
}
