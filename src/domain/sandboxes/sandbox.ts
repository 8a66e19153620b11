import { newId } from '../../platform/ids.ts'
import type { Facility } from '../facilities/facility.ts'
import type { PersonState } from '../users/person.ts'

export type NewSandbox = { facilities: Facility[]; person: PersonState }

/** Nobody else has these ids, so what one application tries is seen by no other. */
export function newSandbox(): NewSandbox {
  const place = { environment: 'sandbox', city: 'Portland', state: 'OR' } as const
  const personId = newId('usr')
  return {
    facilities: [
      { ...place, id: newId('fac'), name: 'Riverside Test Hospital' },
      { ...place, id: newId('fac'), name: 'Hillcrest Test Clinic' },
    ],
    person: {
      id: personId,
      role: 'NURSE_USER',
      // No mail ever arrives there (RFC 2606); the random end of the id makes it theirs alone.
      email: `test.nurse.${personId.slice(-12)}@sandbox.invalid`,
      emailVerified: true,
      username: null,
      name: 'Test Nurse',
      nickname: 'Test',
      picture: null,
      phoneNumber: '+15550100000',
      phoneNumberVerified: true,
      city: 'Portland',
      state: 'OR',
      blocked: false,
      madeIn: 'sandbox',
    },
  }
}
