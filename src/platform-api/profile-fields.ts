import { type Profile, readProfile } from '../domain/users/profile.ts'
import type { FieldProblem } from '../http/problem.ts'

type Given = Partial<Record<keyof Profile, string | null>>

/**
 * The rules of the sign-up page, for whatever is given of names, places and numbers. Fields that are not given, or wrong
 * already, are empty in the profile and not complained about again.
 */
export function readProfileFields(given: Given): { profile: Profile | null; faults: FieldProblem[] } {
  const { name = null, nickname = null, picture = null, phoneNumber = null, city = null, state = null } = given
  const read = readProfile({ name, nickname, picture, phoneNumber, city, state })
  if (read.kind === 'profile') return { profile: read.profile, faults: [] }
  const faults = Object.entries(read.faults).flatMap(([field, message]): FieldProblem[] => {
    if (field !== 'name' || name?.trim() !== '') return [{ pointer: `/${field}`, code: 'malformed', message }]
    return [{ pointer: '/name', code: 'too_short', message: 'must not be blank.' }]
  })
  return { profile: null, faults: faults.filter(({ pointer }) => pointer !== '/name' || name !== null) }
}
