import type { TObject } from 'typebox'
import { Compile } from 'typebox/compile'
import type { TLocalizedValidationError } from 'typebox/error'
import { Settings } from 'typebox/system'
import { type FieldProblem, Problem } from './problem.ts'
import { duplicateFinder, withoutUniqueItems } from './unique-items.ts'

/** Every wrong field is named at once (decision C2), up to a number that a person can still read. */
const MOST_FAULTS = 100
/** In the request log a few are enough. */
const MOST_TOLD = 5
Settings.Set({ maxErrors: 1_000 })

/** The fields that are as the schema wants them, for further rules; and what is wrong with the others. */
export type Read<Fields> = { sound: Partial<Fields>; faults: FieldProblem[] }

/** Turns a raw object into its fields. `Fields` is the schema's static type, named by the caller. */
export function fieldReader<Fields extends object>(schema: TObject): (raw: unknown) => Read<Fields> {
  const duplicatesIn = duplicateFinder(schema)
  const loose = withoutUniqueItems(schema)
  const whole = Compile(loose)
  const part = Compile({ ...loose, required: [] })
  const isWhole = (raw: unknown): raw is Fields => whole.Check(raw)
  const isPart = (raw: unknown): raw is Partial<Fields> => part.Check(raw)
  return (raw) => {
    const duplicates = duplicatesIn(raw).map((pointer) =>
      fault(pointer, 'duplicate', 'is there already; name it once.'),
    )
    if (isWhole(raw) && duplicates.length === 0) return { sound: raw, faults: [] }
    const faults = [...faultsOf(whole.Errors(raw)), ...duplicates]
    const wrong = new Set(faults.map(({ pointer }) => pointer.split('/')[1]))
    const fields = isObject(raw) ? Object.entries(raw) : []
    const sound = Object.fromEntries(fields.filter(([name]) => !wrong.has(escaped(name))))
    return { sound: isPart(sound) ? sound : {}, faults }
  }
}

/** Of a list with wrong values in it, the texts that are not, and where they stand; of a list that is wrong itself, none. */
export function soundTexts(raw: unknown, field: string, faults: readonly FieldProblem[]): Array<[number, string]> {
  const list = isObject(raw) ? raw[field] : null
  const wrong = new Set(faults.map(({ pointer }) => pointer))
  if (!Array.isArray(list) || wrong.has(`/${field}`)) return []
  return list.flatMap(
    (value: unknown, position): Array<[number, string]> =>
      typeof value === 'string' && !wrong.has(`/${field}/${position}`) ? [[position, value]] : [],
  )
}

/** What every operation answers when fields are wrong: all of them, each with its place. */
export function wrongFields(faults: readonly FieldProblem[]): Problem {
  const [first, ...others] = faults
  const detail = first === undefined ? 'A field is wrong.' : inWords(first)
  return new Problem(
    422,
    'wrong_fields',
    'Wrong fields',
    others.length === 0 ? detail : `${detail} And ${others.length} more, see errors.`,
    { errors: faults.slice(0, MOST_FAULTS), reason: faults.slice(0, MOST_TOLD).map(inWords).join(' ') || detail },
  )
}

function inWords({ pointer, message }: FieldProblem): string {
  return `${pointer || 'The body'}: ${message}`
}

function faultsOf(errors: readonly TLocalizedValidationError[]): FieldProblem[] {
  const seen = new Set<string>()
  return errors.flatMap(fieldFault).filter(({ pointer, code }) => {
    const isNew = !seen.has(`${pointer} ${code}`)
    seen.add(`${pointer} ${code}`)
    return isNew
  })
}

/** What our schemas use. `anyOf` comes beside another error that tells the reason. */
const SPOKEN = [
  'required',
  'additionalProperties',
  'type',
  'enum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minimum',
  'maximum',
  'boolean',
  'anyOf',
] as const

type Spoken = Extract<TLocalizedValidationError, { keyword: (typeof SPOKEN)[number] }>

/** The validator speaks to programmers; an integrator is told what to do. */
function fieldFault(error: TLocalizedValidationError): FieldProblem[] {
  const at = error.instancePath
  if (!isSpoken(error)) return [fault(at, 'malformed', `${error.message}.`)]
  switch (error.keyword) {
    case 'required':
      return error.params.requiredProperties.map((name) => fault(`${at}/${escaped(name)}`, 'required', 'is required.'))
    case 'additionalProperties':
      return error.params.additionalProperties.map((name) => unknownField(`${at}/${escaped(name)}`))
    case 'type':
      return [fault(at, 'wrong_type', `must be ${[error.params.type].flat().map(article).join(' or ')}.`)]
    case 'enum':
      return [fault(at, 'unknown_value', `must be one of: ${error.params.allowedValues.join(', ')}.`)]
    case 'minLength':
      return [fault(at, 'too_short', `must have at least ${plural(error.params.limit, 'character')}.`)]
    case 'maxLength':
      return [fault(at, 'too_long', `must have at most ${plural(error.params.limit, 'character')}.`)]
    case 'minItems':
      return [fault(at, 'too_few', `must have at least ${plural(error.params.limit, 'value')}.`)]
    case 'maxItems':
      return [fault(at, 'too_many', `must have at most ${plural(error.params.limit, 'value')}.`)]
    case 'minimum':
    case 'maximum':
      return [fault(at, 'out_of_range', `must be ${error.params.comparison} ${error.params.limit}.`)]
    case 'boolean':
      // Each unknown field by itself; the error that names all of them comes last, and is cut off when there are many.
      return [unknownField(at)]
    case 'anyOf':
      return []
  }
}

function isSpoken(error: TLocalizedValidationError): error is Spoken {
  return SPOKEN.some((keyword) => keyword === error.keyword)
}

function unknownField(pointer: string): FieldProblem {
  return fault(pointer, 'unknown_field', 'is not a field of this operation. Check its spelling.')
}

function fault(pointer: string, code: string, message: string): FieldProblem {
  return { pointer, code, message }
}

function article(type: string): string {
  return type === 'null' ? 'null' : `${/^[aeio]/.test(type) ? 'an' : 'a'} ${type}`
}

function plural(count: number | bigint, noun: string): string {
  return `${count} ${noun}${Number(count) === 1 ? '' : 's'}`
}

/** A name as a JSON pointer writes it (RFC 6901 3). */
function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}

function isObject(raw: unknown): raw is Record<string, unknown> {
  return typeof raw === 'object' && raw !== null && !Array.isArray(raw)
}
