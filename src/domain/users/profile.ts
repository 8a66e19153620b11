import { pictureFault } from '../picture-url.ts'
import { textFault, tidy } from '../plain-text.ts'
import type { User } from './user.ts'

/** What people say about themselves. E-mail, username and role are not theirs to change. */
export type Profile = Pick<User, 'name' | 'nickname' | 'picture' | 'phoneNumber' | 'city' | 'state'>

export type Typed = Record<keyof Profile, string | null>

export type ReadProfile =
  | { kind: 'profile'; profile: Profile }
  | { kind: 'faulty'; faults: Partial<Record<keyof Profile, string>> }

const LONGEST = { name: 100, nickname: 50, city: 100, state: 50 }

export function readProfile(typed: Typed): ReadProfile {
  const profile = {
    name: tidy(typed.name) ?? '',
    nickname: tidy(typed.nickname),
    picture: typed.picture?.trim() || null,
    phoneNumber: typed.phoneNumber?.replaceAll(/[\s().-]/g, '') || null,
    city: tidy(typed.city),
    state: tidy(typed.state),
  }
  const found = {
    name: profile.name === '' ? 'Tell us your name.' : textFault(profile.name, LONGEST.name),
    nickname: textFault(profile.nickname, LONGEST.nickname),
    picture: pictureFault(profile.picture),
    phoneNumber:
      profile.phoneNumber === null || /^\+?[0-9]{7,15}$/.test(profile.phoneNumber)
        ? null
        : 'That does not look like a phone number. Write it with its country code, like +1 555 010 0001.',
    city: textFault(profile.city, LONGEST.city),
    state: textFault(profile.state, LONGEST.state),
  }
  const faults = Object.fromEntries(Object.entries(found).filter(([, fault]) => fault !== null))
  return Object.keys(faults).length === 0 ? { kind: 'profile', profile } : { kind: 'faulty', faults }
}
