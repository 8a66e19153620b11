import type { Db } from '../../src/platform/db.ts'

/**
 * In which tables a text can be read: as it is, or in bytes as hex, base64 or base64url. Every column of every table is
 * looked at, those that come later included.
 */
export async function tablesWith(db: Db, text: string): Promise<string[]> {
  const bytes = Buffer.from(text)
  const forms = [text, bytes.toString('hex'), bytes.toString('base64').replace(/=+$/, ''), bytes.toString('base64url')]
  const tables = await db<Array<{ name: string }>>`
    select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' order by 1`
  const found = await Promise.all(
    tables.map(async ({ name }) => {
      const rows = await db`
        select 1 from ${db(name)} as t where exists (select from unnest(${forms}::text[]) form where strpos(t::text, form) > 0)
        limit 1`
      return rows.length > 0 ? [name] : []
    }),
  )
  return found.flat()
}
