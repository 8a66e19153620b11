import type { Db } from '../../src/platform/db.ts'

/** What no answer shows, since it may have been lost: that something was made twice. Read from the tables. */
export async function madeTwice(db: Db): Promise<string[]> {
  const families = await db<Array<{ family_id: string; tokens: number }>>`
    select family_id, count(*)::int as tokens from refresh_tokens where consumed_at is null
    group by family_id having count(*) > 1`
  const successors = await db<Array<{ family_id: string }>>`
    select family_id from refresh_tokens where predecessor_hash is not null
    group by family_id, predecessor_hash having count(*) > 1`
  // Each has an address of its own, made for that one request.
  const webhooks = await db<Array<{ url: string; made: number }>>`
    select url, count(*)::int as made from webhooks group by url having count(*) > 1`
  return [
    ...families.map(({ family_id: id, tokens }) => `${id} has ${tokens} live refresh tokens`),
    ...successors.map(({ family_id: id }) => `${id} has a refresh token with two successors`),
    ...webhooks.map(({ url, made }) => `${made} webhooks were made by one request: ${url}`),
  ]
}
