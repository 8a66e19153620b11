import { Type } from 'typebox'
import type { Parameter } from './operation.ts'

const LARGEST_PAGE = 100
const USUAL_PAGE = 50

/**
 * Lists are read page by page (decision C1): `next` of one page is the `cursor` of the one after it. The last id of a page is
 * where the next one begins, whatever came or went meanwhile; `isId` says whether it is one of this list.
 */
export function pageQuery(isId: (id: string) => boolean): { cursor: Parameter; limit: Parameter } {
  return {
    cursor: {
      description: 'The `next` of the page before.',
      schema: Type.String({ minLength: 1, maxLength: 100 }),
      fault: (value) =>
        isId(idIn(value)) ? null : { code: 'malformed', message: 'is not a cursor of this list. Begin without one.' },
    },
    limit: {
      description: 'How many at most.',
      schema: Type.Integer({ minimum: 1, maximum: LARGEST_PAGE, default: USUAL_PAGE }),
      fault: (value) =>
        /^[1-9]\d{0,2}$/.test(value) && Number(value) <= LARGEST_PAGE
          ? null
          : { code: 'out_of_range', message: `must be a number from 1 to ${LARGEST_PAGE}.` },
    },
  }
}

export function readPageQuery({ cursor, limit }: Record<string, string>): { last: string | null; limit: number } {
  return { last: cursor === undefined ? null : idIn(cursor), limit: limit === undefined ? USUAL_PAGE : Number(limit) }
}

function idIn(cursor: string): string {
  return Buffer.from(cursor, 'base64url').toString('latin1')
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
