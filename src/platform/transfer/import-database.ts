import { pipeline } from 'node:stream/promises'
import type { Db, DbOrTransaction } from '../db.ts'
import { type Migration, migrateWithin } from '../migrate.ts'
import { transaction } from '../transaction.ts'
import { presentTables, quoted, tablesMadeBy } from './catalog.ts'
import { type Content, contentOf, type Manifest, type SequenceState, type TableShape } from './contents.ts'
import { damaged, endsInTheMiddle, readFrames } from './frames.ts'
import { lineBreaksIn, type Progress, type Transferred } from './progress.ts'
import { explained } from './refusal.ts'
import { prepareTarget, requireKnownMigration } from './target.ts'

export type ImportOptions = {
  migrations: readonly Migration[]
  source: AsyncIterable<Uint8Array>
  tell: (progress: Progress) => void
}

type Part = { content: Content; payload: Buffer }

/**
 * Everything or nothing: one transaction makes the tables, fills them and brings them up to date. Whatever ends it before the
 * last frame was read leaves the database as empty as it was.
 */
export async function importDatabase(db: Db, { migrations, source, tell }: ImportOptions): Promise<Transferred> {
  const progress = { table: '', tables: 0, tablesDone: 0, rows: 0, bytes: 0 }
  const parts = partsOf(source, progress)
  const { content: manifest } = await next(parts)
  if (manifest.kind !== 'manifest') throw damaged()
  requireKnownMigration(manifest, migrations)
  progress.tables = manifest.tables.length
  try {
    await transaction(db, async (tx) => {
      await tx.unsafe(`set local idle_in_transaction_session_timeout = 0; set local datestyle = 'ISO, YMD'`).simple()
      await prepareTarget(tx, manifest, migrations)
      await withoutTriggers(tx, manifest, async () => {
        for (const shape of manifest.tables) {
          progress.table = shape.name
          await fill(tx, shape, parts, (rows) => {
            progress.rows += rows
            tell(progress)
          })
          progress.tablesDone += 1
        }
        await readEnd(tx, parts, progress.rows)
      })
      await migrateWithin(tx, migrations)
      // What the planner knows of an empty table would mislead it from the first request on.
      for (const name of await presentTables(tx, tablesMadeBy(migrations))) await tx.unsafe(`analyze ${quoted(name)}`)
    })
  } catch (error) {
    throw explained(error, 'import')
  }
  return { manifest, rows: progress.rows, bytes: progress.bytes }
}

async function* partsOf(source: AsyncIterable<Uint8Array>, read: { bytes: number }): AsyncGenerator<Part, undefined> {
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const bytes of source) {
      read.bytes += bytes.length
      yield bytes
    }
  }
  for await (const { head, payload } of readFrames(counted())) yield { content: contentOf(head), payload }
}

async function next(parts: AsyncGenerator<Part, undefined>): Promise<Part> {
  const { value } = await parts.next()
  if (value === undefined) throw endsInTheMiddle()
  return value
}

/** One table from its first row to its last, and a count of what has arrived. */
async function fill(
  tx: DbOrTransaction,
  { name, columns }: TableShape,
  parts: AsyncGenerator<Part, undefined>,
  passed: (rows: number) => void,
): Promise<void> {
  let rows = 0
  async function* pieces(): AsyncGenerator<Buffer> {
    for (;;) {
      const { content, payload } = await next(parts)
      if (content.kind === 'table-end' && content.table === name && content.rows === rows) return
      if (content.kind !== 'rows' || content.table !== name) throw damaged()
      const ended = lineBreaksIn(payload)
      rows += ended
      passed(ended)
      yield payload
    }
  }
  const into = await tx.unsafe(`copy ${quoted(name)} (${columns.map(quoted).join(', ')}) from stdin`).writable()
  await pipeline(pieces, into)
  const [arrived] = await tx<[{ rows: string }]>`select count(*) as rows from ${tx(name)}`
  if (arrived.rows !== String(rows)) throw new Error(`${rows} rows were sent to ${name}, ${arrived.rows} are there`)
}

async function readEnd(tx: DbOrTransaction, parts: AsyncGenerator<Part, undefined>, rows: number): Promise<void> {
  const { content } = await next(parts)
  if (content.kind !== 'end' || content.rows !== rows) throw damaged()
  for (const sequence of content.sequences) await advance(tx, sequence)
  // Whoever writes into our input learns here that all of it was read.
  if ((await parts.next()).done !== true) throw damaged()
}

async function advance(tx: DbOrTransaction, { table, column, value, used }: SequenceState): Promise<void> {
  await tx`select setval(pg_get_serial_sequence(${quoted(table)}, ${column}), ${value}::bigint, ${used})`
}

/** What they would do was done where the rows come from. Constraints are no triggers of ours and hold as ever. */
async function withoutTriggers(tx: DbOrTransaction, { tables }: Manifest, work: () => Promise<void>): Promise<void> {
  const names = tables.map(({ name }) => name)
  const rows = await tx<Array<{ name: string }>>`
    select distinct relname as name from pg_trigger join pg_class on pg_class.oid = tgrelid
    where not tgisinternal and relnamespace = current_schema()::regnamespace and relname = any(${names}::text[])`
  for (const { name } of rows) await tx.unsafe(`alter table ${quoted(name)} disable trigger user`)
  await work()
  for (const { name } of rows) await tx.unsafe(`alter table ${quoted(name)} enable trigger user`)
}
