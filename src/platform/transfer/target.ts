import type { DbOrTransaction } from '../db.ts'
import { lockMigrations, type Migration, migrateWithin } from '../migrate.ts'
import { OperatorError } from '../operator-error.ts'
import { presentTables, quoted, readShapes, tablesMadeBy } from './catalog.ts'
import type { Manifest, RangeShape } from './contents.ts'

/** Of migrations that this program does not have, or has with another text, it does not know what their tables look like. */
export function requireKnownMigration({ migration, version }: Manifest, migrations: readonly Migration[]): void {
  const { number, name, checksum } = migration
  const ours = migrations[number - 1]
  if (ours === undefined)
    throw new OperatorError(
      `The export is of a newer version of Handover (${version}, migration ${number}); this program knows only ${migrations.length}. Import it with that version.`,
    )
  if (ours.checksum !== checksum)
    throw new OperatorError(
      `The export is of a database whose migration ${number} (${name}) has another text than ours: it was not made by this program.`,
    )
}

/**
 * Makes the tables as they were where the export comes from, in a database that holds nothing. Nobody else migrates or writes
 * until the transaction ends: a process that starts meanwhile waits, and one that was quicker makes this fail.
 */
export async function prepareTarget(
  tx: DbOrTransaction,
  { migration, tables }: Manifest,
  migrations: readonly Migration[],
): Promise<void> {
  await lockMigrations(tx)
  await requireEmpty(tx, migration.number, migrations)
  await migrateWithin(tx, migrations.slice(0, migration.number))
  const shapes = await readShapes(tx, await presentTables(tx, new Set(tables.map(({ name }) => name))))
  const columnsOf = new Map(shapes.map(({ name, columns }) => [name, columns.join()]))
  const strange = tables.find(({ name, columns }) => columnsOf.get(name) !== columns.join())
  if (strange !== undefined)
    throw new OperatorError(
      `The export has a table ${strange.name} with the columns ${strange.columns.join(', ')}, which migration ${migration.number} does not make: somebody changed the database it comes from by hand.`,
    )
  for (const { name, ranges } of tables) for (const range of ranges) await ensureRange(tx, name, range)
}

async function requireEmpty(tx: DbOrTransaction, number: number, migrations: readonly Migration[]): Promise<void> {
  const [ledger] = await tx<[{ exists: boolean }]>`select to_regclass('schema_migrations') is not null as exists`
  const present = await presentTables(tx, tablesMadeBy(migrations))
  if (present.length === 0) return
  if (!ledger.exists)
    throw new OperatorError(
      `The database has tables that were not made by Handover but are called like its own (${listed(present)}). ${ANOTHER}`,
    )
  const [newest] = await tx<[{ number: number }]>`select coalesce(max(number), 0)::int as number from schema_migrations`
  if (newest.number > number)
    throw new OperatorError(
      `The database is at migration ${newest.number} and the export at ${number}: tables are never taken back. ${ANOTHER}`,
    )
  await tx.unsafe(`lock table ${present.map(quoted).join(', ')} in exclusive mode`)
  const filled: string[] = []
  for (const name of present) {
    const [row] = await tx<[{ some: boolean }]>`select exists (select 1 from ${tx(name)}) as "some"`
    if (row.some) filled.push(name)
  }
  if (filled.length > 0)
    throw new OperatorError(`The database is not empty: there are rows in ${listed(filled)}. ${ANOTHER}`)
}

const ANOTHER =
  'An import needs a database of its own: create one and name it in DATABASE_URL, or name a new folder in HANDOVER_DATA_DIR.'

function listed(names: readonly string[]): string {
  return names.length <= 5 ? names.join(', ') : `${names.slice(0, 5).join(', ')} and ${names.length - 5} more`
}

async function ensureRange(tx: DbOrTransaction, parent: string, { name, from, to }: RangeShape): Promise<void> {
  const [made] = await tx<[{ statement: string }]>`
    select format('create table if not exists %I partition of %I for values from (%L) to (%L)',
      ${name}::text, ${parent}::text, ${from}::text, ${to}::text) as statement`
  await tx.unsafe(made.statement)
}
