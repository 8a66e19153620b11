import type { Parameter } from '../http/operation.ts'
import { pageQuery, readPageQuery } from '../http/page-query.ts'

/** A page of a list of things whose ids begin with this. */
export function pageOf(prefix: string): Record<string, Parameter> {
  const isId = new RegExp(`^${prefix}_[0-9a-f]{32}$`)
  return pageQuery((id) => isId.test(id))
}

/** Ids sort by time, and our lists begin with the newest: the next page is what is before the last id of this one. */
export function readNewestFirst(query: Record<string, string>): { before: string | null; limit: number } {
  const { last, limit } = readPageQuery(query)
  return { before: last, limit }
}
