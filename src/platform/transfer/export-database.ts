import type { Readable } from 'node:stream'
import type { Db, DbOrTransaction } from '../db.ts'
import { knownMasterKeyId } from '../master-key-store.ts'
import { type Migration, migrationState } from '../migrate.ts'
import { OperatorError } from '../operator-error.ts'
import { presentTables, quoted, readSequences, readShapes, tablesMadeBy } from './catalog.ts'
import { type Content, FORMAT, type Manifest, type TableShape } from './contents.ts'
import { frameWriter, PIECE_BYTES, type Sink } from './frames.ts'
import { lineBreaksIn, type Progress, type Transferred } from './progress.ts'
import { explained } from './refusal.ts'

export type ExportOptions = {
  migrations: readonly Migration[]
  /** Tables that stay behind. */
  leftOut: ReadonlySet<string>
  /** Of the program. */
  version: string
  sink: Sink
  tell: (progress: Progress) => void
}

/**
 * Reads everything as it was at one moment, whatever is written meanwhile, and in the same words whatever the server's
 * settings are. When the sink fails, nobody waits for what the server was about to send: the caller closes the database.
 */
export async function exportDatabase(db: Db, options: ExportOptions): Promise<Transferred> {
  const names = await knownTables(db, options)
  if (names.length === 0) throw new OperatorError('There is nothing to export: no service has used this database yet.')
  const broken = Promise.withResolvers<never>()
  const sink: Sink = async (bytes) => {
    try {
      await options.sink(bytes)
    } catch (error) {
      broken.reject(error)
      throw error
    }
  }
  const exported = db.begin('isolation level repeatable read read only', async (tx) => {
    await tx
      .unsafe(
        `set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0; set local lock_timeout = '60s';
         set local timezone = 'UTC'; set local datestyle = 'ISO, YMD'; set local intervalstyle = 'postgres';
         set local extra_float_digits = 1; set local bytea_output = 'hex'; set local row_security = off`,
      )
      .simple()
    // Before the first look, which decides what is seen: no day is dropped from here on.
    await tx.unsafe(`lock table ${names.map(quoted).join(', ')} in access share mode`)
    if ((await knownTables(tx, options)).join() !== names.join())
      throw new OperatorError('The database was migrated at this very moment: export it again.')
    return writeAll(tx, names, { ...options, sink })
  })
  exported.catch(() => {})
  try {
    return await Promise.race([exported, broken.promise])
  } catch (error) {
    throw explained(error, 'export')
  }
}

/**
 * Older than the program is fine: before an upgrade is when a backup is wanted. Of what is newer it does not know every table,
 * so that is refused.
 */
async function knownTables(db: DbOrTransaction, { migrations, leftOut }: ExportOptions): Promise<string[]> {
  const [ledger] = await db<[{ exists: boolean }]>`select to_regclass('schema_migrations') is not null as exists`
  if (!ledger.exists) return []
  if ((await migrationState(db, migrations)) === 'newer')
    throw new OperatorError('The database is newer than this program: export it with the newer version.')
  return (await presentTables(db, tablesMadeBy(migrations))).filter((name) => !leftOut.has(name))
}

async function writeAll(tx: DbOrTransaction, names: readonly string[], options: ExportOptions): Promise<Transferred> {
  const { sink, tell } = options
  const progress = { table: '', tables: names.length, tablesDone: 0, rows: 0, bytes: 0 }
  const write = frameWriter(async (bytes) => {
    progress.bytes += bytes.length
    await sink(bytes)
  })
  const put = (content: Content, payload?: Buffer) => write(content, payload)

  const manifest = await readManifest(tx, names, options)
  await put(manifest)
  for (const shape of manifest.tables) {
    progress.table = shape.name
    let rows = 0
    for await (const piece of piecesOf(await copyOut(tx, shape))) {
      const ended = lineBreaksIn(piece)
      rows += ended
      progress.rows += ended
      await put({ kind: 'rows', table: shape.name }, piece)
      tell(progress)
    }
    await put({ kind: 'table-end', table: shape.name, rows })
    progress.tablesDone += 1
    tell(progress)
  }
  await put({ kind: 'end', rows: progress.rows, sequences: await readSequences(tx, names) })
  return { manifest, rows: progress.rows, bytes: progress.bytes }
}

async function readManifest(
  tx: DbOrTransaction,
  names: readonly string[],
  { version }: ExportOptions,
): Promise<Manifest> {
  const [newest] = await tx<Array<{ number: number; name: string; checksum: string; at: Date }>>`
    select number, name, checksum, now() as at from schema_migrations order by number desc limit 1`
  if (newest === undefined) throw new Error('A database without a migration has nothing to export')
  const { at, ...migration } = newest
  return {
    kind: 'manifest',
    format: FORMAT,
    madeAt: at.toISOString(),
    version,
    migration,
    masterKeyId: await knownMasterKeyId(tx),
    tables: await readShapes(tx, names),
  }
}

/** By a query, because a table that is kept by ranges has no rows of its own. */
function copyOut(tx: DbOrTransaction, { name, columns }: TableShape): Promise<Readable> {
  return tx.unsafe(`copy (select ${columns.map(quoted).join(', ')} from ${quoted(name)}) to stdout`).readable()
}

/** As large as a frame is to be, however small the pieces come or however long a row is. */
async function* piecesOf(rows: Readable): AsyncGenerator<Buffer> {
  let held: Buffer[] = []
  let size = 0
  for await (const chunk of rows) {
    const bytes = Buffer.from(chunk)
    held.push(bytes)
    size += bytes.length
    if (size < PIECE_BYTES) continue
    const all = Buffer.concat(held)
    const whole = all.length - (all.length % PIECE_BYTES)
    for (let at = 0; at < whole; at += PIECE_BYTES) yield all.subarray(at, at + PIECE_BYTES)
    held = whole === all.length ? [] : [all.subarray(whole)]
    size = all.length - whole
  }
  if (size > 0) yield Buffer.concat(held)
}
