import type { Environment } from '../domain/environment.ts'
import type { Person } from '../domain/users/person.ts'
import type { TakenName } from '../domain/users/taken-names.ts'
import type { FieldProblem } from '../http/problem.ts'
import { Problem } from '../http/problem.ts'

export function personJson(person: Person): object {
  return { ...person, createdAt: person.createdAt.toISOString(), updatedAt: person.updatedAt.toISOString() }
}

export const PERSON_EXAMPLE = {
  id: 'nurse-4711',
  role: 'NURSE_USER',
  email: 'ann.lee@example.com',
  emailVerified: true,
  username: null,
  name: 'Ann Lee',
  nickname: null,
  picture: null,
  phoneNumber: '+15550100001',
  phoneNumberVerified: false,
  city: 'Portland',
  state: 'OR',
  blocked: false,
  madeIn: 'production',
  createdAt: '2026-11-15T08:00:00.000Z',
  updatedAt: '2026-11-15T08:00:00.000Z',
}

export const SAID_EXAMPLE = {
  role: 'NURSE_USER',
  email: 'ann.lee@example.com',
  name: 'Ann Lee',
  phoneNumber: '+1 555 010 0001',
  city: 'Portland',
  state: 'OR',
}

/** As many as 422 names. */
const MOST_ERRORS = 100

/** Where a person of the request stands: the empty pointer for one alone. */
export type PlaceOf = (id: string) => string

export function notASandboxPerson(ids: readonly string[], placeOf: PlaceOf): Problem {
  const message = 'was not made with a sandbox key, so a sandbox key may neither read nor change it.'
  const errors = ids.map((id): FieldProblem => ({ pointer: placeOf(id), code: 'not_a_sandbox_person', message }))
  return new Problem(
    403,
    'not_a_sandbox_person',
    'Not a sandbox person',
    'A sandbox key reads and changes only people who were made with a sandbox key.',
    { errors: errors.filter(({ pointer }) => pointer !== '').slice(0, MOST_ERRORS) },
  )
}

/** Who has the name is told to production keys, which may do something about it; a sandbox key learns no ids. */
export function nameTaken(names: readonly TakenName[], environment: Environment, placeOf: PlaceOf): Problem {
  const errors = names.map(({ id, field, heldBy }): FieldProblem => {
    const holder = environment === 'production' ? `the account ${heldBy}` : 'another account'
    return { pointer: `${placeOf(id)}/${field}`, code: codeOf(field), message: `belongs to ${holder}.` }
  })
  const [first = { pointer: '', message: '' }] = errors
  const code = codeOf(names[0]?.field ?? 'email')
  return new Problem(
    409,
    code,
    code === 'email_taken' ? 'E-mail address taken' : 'Username taken',
    `${first.pointer} ${first.message} Nothing was changed.`,
    { errors: errors.slice(0, MOST_ERRORS) },
  )
}

function codeOf(field: TakenName['field']): 'email_taken' | 'username_taken' {
  return field === 'email' ? 'email_taken' : 'username_taken'
}
