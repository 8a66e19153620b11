import type { Db } from '../../platform/db.ts'

/** However many there were, no more than this is counted: it is for a first impression. */
export const MOST_REQUESTS_COUNTED = 1_000

export type RequestCount = { all: number; refused: number }

/** What is kept of each application's requests, which is about a week. Two walks along an index for each. */
export async function countRequests(db: Db, applicationIds: readonly string[]): Promise<Map<string, RequestCount>> {
  const rows = await db<Array<{ id: string; all: number; refused: number }>>`
    select id,
           (select count(*)::int from (select 1 from request_log where application_id = asked.id
                                       order by id desc limit ${MOST_REQUESTS_COUNTED}) as some_of) as all,
           (select count(*)::int from (select 1 from request_log where application_id = asked.id and cause is not null
                                       order by id desc limit ${MOST_REQUESTS_COUNTED}) as some_of) as refused
    from unnest(${[...new Set(applicationIds)]}::text[]) as asked (id)`
  return new Map(rows.map(({ id, all, refused }) => [id, { all, refused }]))
}
