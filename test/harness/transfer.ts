import { LEFT_OUT_TABLES } from '../../src/app/left-out-tables.ts'
import { ourMigrations } from '../../src/app/storage.ts'
import type { Db } from '../../src/platform/db.ts'
import type { Migration } from '../../src/platform/migrate.ts'
import { exportDatabase } from '../../src/platform/transfer/export-database.ts'
import { importDatabase } from '../../src/platform/transfer/import-database.ts'
import type { Transferred } from '../../src/platform/transfer/progress.ts'
import { fingerprint } from './fingerprint.ts'

/** What `handover export` writes; `pace` is waited for before each frame is taken. */
export async function exported(
  db: Db,
  { migrations, pace = async () => {} }: { migrations?: Migration[]; pace?: () => Promise<void> } = {},
): Promise<Buffer> {
  const frames: Buffer[] = []
  await exportDatabase(db, {
    migrations: migrations ?? (await ourMigrations()),
    leftOut: new Set(Object.keys(LEFT_OUT_TABLES)),
    version: 'test',
    sink: async (bytes) => {
      await pace()
      frames.push(bytes)
    },
    tell: () => {},
  })
  return Buffer.concat(frames)
}

/** What `handover import` does with these bytes, in pieces that have nothing to do with the frames. */
export async function imported(
  db: Db,
  source: Buffer | AsyncIterable<Uint8Array>,
  migrations?: Migration[],
): Promise<Transferred> {
  return importDatabase(db, {
    migrations: migrations ?? (await ourMigrations()),
    source: Buffer.isBuffer(source) ? piecesOf(source, 10_007) : source,
    tell: () => {},
  })
}

export async function* piecesOf(bytes: Buffer, length: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length)
}

/** One line for each table that is exported and has rows, as `fingerprint`, and the same for the request log. */
export async function contentOf(db: Db): Promise<Record<string, string>> {
  const all = Object.entries(await fingerprint(db)).filter(([name]) => !(name in LEFT_OUT_TABLES))
  const [requests] = await db<Array<{ sum: string }>>`
    select count(*) || ' ' || coalesce(md5(string_agg(each::text, '|' order by each::text)), '') as sum from request_log as each`
  // Which transaction announced something is told by the server it happened on.
  const [announced] = await db<Array<{ sum: string }>>`
    select md5(coalesce(string_agg(concat_ws('|', id, topic, key, issued_before, expires_at), '|' order by id), '')) as sum from announcements`
  return {
    ...Object.fromEntries(all.filter(([, sum]) => !sum.startsWith('0 '))),
    request_log: requests?.sum ?? '',
    announcements: announced?.sum ?? '',
  }
}

/** Whether nothing at all is there, as in a database that was just created. */
export async function isUntouched(db: Db): Promise<boolean> {
  const rows = await db`select 1 from information_schema.tables where table_schema = 'public' limit 1`
  return rows.length === 0
}
