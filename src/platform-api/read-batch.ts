import { type TSchema, Type } from 'typebox'
import type { FieldProblem } from '../http/problem.ts'
import { wrongFields } from '../http/read-fields.ts'

export const LARGEST_BATCH = 500

/** One value of a batch, or everything that is wrong with it; pointers begin at the value itself. */
export type Reading<Value> = { value: Value } | { faults: FieldProblem[] }

export function batchOf(schema: TSchema): TSchema {
  return Type.Array(schema, { minItems: 1, maxItems: LARGEST_BATCH })
}

/** All values, or every fault of all of them at once. What has the same key is there twice, and `keyAt` says where it stands. */
export function readBatch<Value>(
  raw: unknown,
  read: (raw: unknown) => Reading<Value>,
  { keyOf, keyAt }: { keyOf: (value: Value) => string; keyAt: string },
): Value[] {
  if (!Array.isArray(raw)) throw wrongFields([{ pointer: '', code: 'wrong_type', message: 'must be an array.' }])
  if (raw.length === 0) throw wrongFields([{ pointer: '', code: 'too_few', message: 'must have at least 1 value.' }])
  if (raw.length > LARGEST_BATCH)
    throw wrongFields([{ pointer: '', code: 'too_many', message: `must have at most ${LARGEST_BATCH} values.` }])
  const values: Value[] = []
  const faults: FieldProblem[] = []
  const seen = new Set<string>()
  for (const [position, each] of raw.entries()) {
    const reading = read(each)
    if ('faults' in reading) {
      faults.push(...reading.faults.map((fault) => ({ ...fault, pointer: `/${position}${fault.pointer}` })))
      continue
    }
    const key = keyOf(reading.value)
    if (seen.has(key))
      faults.push({ pointer: `/${position}${keyAt}`, code: 'duplicate', message: 'is there already; name it once.' })
    seen.add(key)
    values.push(reading.value)
  }
  if (faults.length > 0) throw wrongFields(faults)
  return values
}

/** For batches that only name what they mean. */
export function readIds(raw: unknown, fault: (id: string) => string | null): string[] {
  const read = (each: unknown): Reading<string> => {
    if (typeof each !== 'string') return { faults: [{ pointer: '', code: 'wrong_type', message: 'must be a string.' }] }
    const message = fault(each)
    return message === null ? { value: each } : { faults: [{ pointer: '', code: 'malformed', message }] }
  }
  return readBatch(raw, read, { keyOf: (id) => id, keyAt: '' })
}
