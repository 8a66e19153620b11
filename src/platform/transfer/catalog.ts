import type { DbOrTransaction } from '../db.ts'
import type { Migration } from '../migrate.ts'
import type { RangeShape, SequenceState, TableShape } from './contents.ts'
import { inOrderOfReference } from './table-order.ts'

/** The tables that migrations make. What an operator keeps beside them is no business of ours. */
export function tablesMadeBy(migrations: readonly Migration[]): Set<string> {
  return new Set(
    migrations.flatMap(({ sql }) =>
      [...sql.matchAll(/^create (?:unlogged )?table (?:if not exists )?(\w+)/gim)].map(([, name = '']) => name),
    ),
  )
}

/** A name as SQL writes it, for the statements that take no parameters. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** Those of the named tables that are there; a table kept by ranges is one. */
export async function presentTables(db: DbOrTransaction, names: ReadonlySet<string>): Promise<string[]> {
  const rows = await db<Array<{ name: string }>>`
    select relname as name from pg_class
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and not relispartition
      and relname = any(${[...names]}::text[])
    order by relname`
  return rows.map(({ name }) => name)
}

/** What there is to be copied of each, in the order in which it can be written again. */
export async function readShapes(db: DbOrTransaction, names: readonly string[]): Promise<TableShape[]> {
  // The number of a transaction means something to its own server only: such a column is filled anew.
  const columns = await db<Array<{ name: string; columns: string[] }>>`
    select relname as name, array_agg(attname::text order by attnum) as columns
    from pg_class join pg_attribute on attrelid = pg_class.oid
    where relnamespace = current_schema()::regnamespace and relname = any(${names}::text[])
      and attnum > 0 and not attisdropped and attgenerated = '' and atttypid <> 'xid8'::regtype
    group by relname`
  const references = await db<Array<{ from: string; to: string }>>`
    select child.relname as from, parent.relname as to
    from pg_constraint
    join pg_class child on child.oid = conrelid
    join pg_class parent on parent.oid = confrelid
    where contype = 'f' and connamespace = current_schema()::regnamespace`
  const ranges = Map.groupBy(await readRanges(db, names), ({ parent }) => parent)
  const columnsOf = new Map(columns.map((row) => [row.name, row.columns]))
  return inOrderOfReference(names, references).map((name) => ({
    name,
    columns: columnsOf.get(name) ?? [],
    ranges: (ranges.get(name) ?? []).map(({ range }) => range),
  }))
}

async function readRanges(
  db: DbOrTransaction,
  names: readonly string[],
): Promise<Array<{ parent: string; range: RangeShape }>> {
  const rows = await db<Array<{ parent: string; name: string; bound: string }>>`
    select parent.relname as parent, child.relname as name, pg_get_expr(child.relpartbound, child.oid) as bound
    from pg_inherits
    join pg_class parent on parent.oid = inhparent
    join pg_class child on child.oid = inhrelid
    where parent.relnamespace = current_schema()::regnamespace and parent.relname = any(${names}::text[])
      and child.relispartition
    order by child.relname`
  return rows.map(({ parent, name, bound }) => {
    const [, from, to] = /^FOR VALUES FROM \('([^']*)'\) TO \('([^']*)'\)$/.exec(bound) ?? []
    if (from === undefined || to === undefined) throw new Error(`${name} is kept in a way that is not known: ${bound}`)
    return { parent, range: { name, from, to } }
  })
}

/** How far the counters of the tables have come. They never go back, so what was handed out once stays handed out. */
export async function readSequences(db: DbOrTransaction, names: readonly string[]): Promise<SequenceState[]> {
  const owned = await db<Array<{ sequence: string; table: string; column: string }>>`
    select seq.relname as sequence, owner.relname as table, attname::text as column
    from pg_class seq
    join pg_depend on classid = 'pg_class'::regclass and objid = seq.oid and deptype in ('a', 'i')
    join pg_class owner on owner.oid = refobjid
    join pg_attribute on attrelid = owner.oid and attnum = refobjsubid
    where seq.relkind = 'S' and owner.relnamespace = current_schema()::regnamespace and owner.relname = any(${names}::text[])
    order by owner.relname, attname`
  const states: SequenceState[] = []
  for (const { sequence, table, column } of owned) {
    const [row] = await db<Array<{ value: string; used: boolean }>>`
      select last_value::text as value, is_called as used from ${db(sequence)}`
    if (row !== undefined) states.push({ table, column, ...row })
  }
  return states
}
