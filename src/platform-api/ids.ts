import { Type } from 'typebox'
import type { Call } from '../http/operation.ts'
import type { FieldProblem } from '../http/problem.ts'
import { wrongFields } from '../http/read-fields.ts'

/** Ids are the marketplace's own and kept as they are (decision A6), as long as they fit into a URL and a token. */
const PATTERN = '^[A-Za-z0-9_.:-]{1,64}$'
const isId = new RegExp(PATTERN)

/** Where such an id stood in a path it would mean something else. */
const RESERVED: ReadonlySet<string> = new Set(['.', '..', 'batch', 'batch-delete'])

export const PersonId = Type.String({
  pattern: PATTERN,
  description: 'The marketplace’s own id of the person, kept as it is; the `sub` of tokens. Not with `app:` in front.',
  examples: ['nurse-4711'],
})
export const FacilityId = Type.String({
  pattern: PATTERN,
  description: 'The marketplace’s own id of the facility, kept as it is; unique within an environment.',
  examples: ['facility-17'],
})
export const ApplicationId = Type.String({
  pattern: PATTERN,
  description: 'The application’s Client ID.',
  examples: ['app_0198a6c2d1f07c3e9a41b7d2e5f60719'],
})

/** What is wrong with an id beyond the pattern, which the schemas check; null when nothing is. */
export function idFault(id: string): string | null {
  if (!isId.test(id)) return 'must be 1 to 64 letters, digits, underscores, dots, colons or dashes.'
  return RESERVED.has(id) ? 'is reserved; choose another.' : null
}

/** The `sub` of an application's own token is `app:` and its Client ID, so no person may have such an id. */
export function personIdFault(id: string): string | null {
  return id.startsWith('app:') ? 'must not begin with `app:`, which is for applications.' : idFault(id)
}

export function faultAt(pointer: string, message: string | null): FieldProblem[] {
  return message === null ? [] : [{ pointer, code: 'malformed', message }]
}

/** An id of the path. A path has no JSON pointer of its own, so it is pointed at as if it were an object named `path`. */
export function pathId({ parameters }: Call, name: string, fault = idFault): string {
  const id = parameters[name] ?? ''
  const faults = faultAt(`/path/${name}`, fault(id))
  if (faults.length > 0) throw wrongFields(faults)
  return id
}
