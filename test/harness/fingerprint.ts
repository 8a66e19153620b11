import type { Db } from '../../src/platform/db.ts'

/**
 * One line for each table that stands for everything in it: the same before and after means that nothing changed. But for the
 * request log, which tells of requests a moment after they were made and is no state of anything.
 */
export async function fingerprint(db: Db): Promise<Record<string, string>> {
  const tables = await db<Array<{ name: string }>>`
    select table_name as name from information_schema.tables where table_schema = 'public' and not starts_with(table_name, 'request_log') order by 1`
  const lines = await Promise.all(
    tables.map(async ({ name }) => {
      const [row] = await db<Array<{ sum: string }>>`
        select count(*) || ' ' || coalesce(md5(string_agg(each::text, '|' order by each::text)), '') as sum from ${db(name)} as each`
      return [name, row?.sum ?? ''] as const
    }),
  )
  return Object.fromEntries(lines)
}
