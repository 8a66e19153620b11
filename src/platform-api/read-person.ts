import type { SaidPerson } from '../domain/users/person.ts'
import { emailFault, usernameFault } from '../domain/users/sign-up.ts'
import type { FieldProblem } from '../http/problem.ts'
import { fieldReader, type Read } from '../http/read-fields.ts'
import { faultAt, personIdFault } from './ids.ts'
import { BatchPerson, type PersonBody, PersonFields } from './person-schemas.ts'
import { readProfileFields } from './profile-fields.ts'
import type { Reading } from './read-batch.ts'

const readSingle = fieldReader<Omit<PersonBody, 'id'>>(PersonFields)
const readOfBatch = fieldReader<PersonBody>(BatchPerson)

/** The body of one person; the id stands in the path. */
export function readPersonFields(id: string, raw: unknown): Reading<SaidPerson> {
  const { sound, faults } = readSingle(raw)
  return personFrom({ ...sound, id }, faults)
}

/** One person of a batch. */
export function readBatchPerson(raw: unknown): Reading<SaidPerson> {
  const { sound, faults } = readOfBatch(raw)
  const { id } = sound
  return personFrom(sound, [...faults, ...(id === undefined ? [] : faultAt('/id', personIdFault(id)))])
}

/** The same rules as for people who sign up; what is left out is left out of the outcome. */
function personFrom(sound: Read<PersonBody>['sound'], schemaFaults: readonly FieldProblem[]): Reading<SaidPerson> {
  const { id, role, email: typed, emailVerified = true, phoneNumberVerified, blocked } = sound
  const email = typed?.trim()
  const username = sound.username?.trim() || null
  const { profile, faults: profileFaults } = readProfileFields(sound)
  const faults = [
    ...schemaFaults,
    ...(email === undefined ? [] : faultAt('/email', emailFault(email))),
    ...faultAt('/username', usernameFault(username)),
    ...profileFaults,
  ]
  if (faults.length > 0 || profile === null || id === undefined || role === undefined || email === undefined)
    return { faults }
  return {
    value: {
      id,
      role,
      email,
      emailVerified,
      name: profile.name,
      ...(sound.username !== undefined && { username }),
      ...(sound.nickname !== undefined && { nickname: profile.nickname }),
      ...(sound.picture !== undefined && { picture: profile.picture }),
      ...(sound.phoneNumber !== undefined && { phoneNumber: profile.phoneNumber }),
      ...(phoneNumberVerified !== undefined && { phoneNumberVerified }),
      ...(sound.city !== undefined && { city: profile.city }),
      ...(sound.state !== undefined && { state: profile.state }),
      ...(blocked !== undefined && { blocked }),
    },
  }
}
