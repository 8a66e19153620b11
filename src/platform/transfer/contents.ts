import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { OperatorError } from '../operator-error.ts'
import { damaged } from './frames.ts'

/** Moves when a reader of today could not read what is written. */
export const FORMAT = 1

const Whole = Type.Integer({ minimum: 0 })

/** A part of a table that is kept by ranges, such as a day of events. */
const Range = Type.Object({ name: Type.String(), from: Type.String(), to: Type.String() })

const Table = Type.Object({
  name: Type.String(),
  columns: Type.Array(Type.String(), { minItems: 1 }),
  ranges: Type.Array(Range),
})

/** The first frame: what it is an export of. Tables stand in an order in which each comes behind those it refers to. */
const Manifest = Type.Object({
  kind: Type.Literal('manifest'),
  format: Type.Literal(FORMAT),
  madeAt: Type.String(),
  /** The version of the program that wrote it. */
  version: Type.String(),
  /** The newest migration of the database. */
  migration: Type.Object({ number: Whole, name: Type.String(), checksum: Type.String() }),
  /** Of the key that encrypts what is encrypted in it; the key itself is not in it. */
  masterKeyId: Type.Union([Type.String(), Type.Null()]),
  tables: Type.Array(Table),
})

/** A piece of a table, as COPY writes it; a row may go over several. */
const Rows = Type.Object({ kind: Type.Literal('rows'), table: Type.String() })
const TableEnd = Type.Object({ kind: Type.Literal('table-end'), table: Type.String(), rows: Whole })
const Sequence = Type.Object({
  table: Type.String(),
  column: Type.String(),
  value: Type.String({ pattern: '^-?[0-9]+$' }),
  used: Type.Boolean(),
})
/** The last frame. Without it an export is not whole. */
const End = Type.Object({ kind: Type.Literal('end'), rows: Whole, sequences: Type.Array(Sequence) })

export type Manifest = Static<typeof Manifest>
export type TableShape = Static<typeof Table>
export type RangeShape = Static<typeof Range>
export type SequenceState = Static<typeof Sequence>
export type Content = Static<typeof Manifest> | Static<typeof Rows> | Static<typeof TableEnd> | Static<typeof End>

const content = Compile(Type.Union([Manifest, Rows, TableEnd, End]))
const isContent = (head: unknown): head is Content => content.Check(head)

export function contentOf(head: unknown): Content {
  if (isContent(head)) return head
  const format: unknown = typeof head === 'object' && head !== null ? Reflect.get(head, 'format') : undefined
  if (typeof format === 'number' && format > FORMAT)
    throw new OperatorError('The export was written by a newer version of Handover: import it with that version.')
  throw damaged()
}
