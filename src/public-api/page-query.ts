import { readPageQuery } from '../http/page-query.ts'
import type { FieldProblem } from '../http/problem.ts'

/** Ids sort by time, and our lists begin with the newest: the next page is what is before the last id of this one. */
export function readNewestFirst(
  query: Record<string, string>,
  prefix: string,
  others: readonly FieldProblem[] = [],
): { before: string | null; limit: number } {
  const isId = (id: string) => new RegExp(`^${prefix}_[0-9a-f]{32}$`).test(id)
  const { last, limit } = readPageQuery(query, isId, others)
  return { before: last, limit }
}
