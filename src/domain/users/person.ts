import type { Environment } from '../environment.ts'
import { foldLogin, type User } from './user.ts'

/** What the marketplace can know and say of a person: also whether they are blocked, and which key made them. */
export type PersonState = User & { blocked: boolean; madeIn: Environment | null }

export type Person = PersonState & { createdAt: Date; updatedAt: Date }

type Required = 'id' | 'role' | 'email' | 'emailVerified' | 'name'

/** What the marketplace says of a person. What it leaves out stays as it is, because people say it of themselves too; null empties it. */
export type SaidPerson = Pick<User, Required> & Partial<Omit<User, Required> & { blocked: boolean }>

/** A sandbox key changes only people that a sandbox key made: it must never open a production account. */
export function mayChange(environment: Environment, madeIn: Environment | null): boolean {
  return environment === 'production' || madeIn === 'sandbox'
}

/** The person as they are once it is done. A production key that speaks of a sandbox person takes them over. */
export function personAfter(known: PersonState | null, said: SaidPerson, environment: Environment): PersonState {
  const before = known ?? { ...NOBODY, madeIn: environment }
  const phoneNumber = said.phoneNumber === undefined ? before.phoneNumber : said.phoneNumber
  const isSamePhone = phoneNumber === before.phoneNumber
  return {
    id: said.id,
    role: said.role,
    email: said.email,
    emailVerified: said.emailVerified,
    username: said.username === undefined ? before.username : said.username,
    name: said.name,
    nickname: said.nickname === undefined ? before.nickname : said.nickname,
    picture: said.picture === undefined ? before.picture : said.picture,
    phoneNumber,
    phoneNumberVerified:
      phoneNumber !== null && (said.phoneNumberVerified ?? (isSamePhone && before.phoneNumberVerified)),
    city: said.city === undefined ? before.city : said.city,
    state: said.state === undefined ? before.state : said.state,
    blocked: said.blocked ?? before.blocked,
    madeIn: before.madeIn === 'sandbox' ? environment : before.madeIn,
  }
}

const NOBODY = {
  username: null,
  nickname: null,
  picture: null,
  phoneNumber: null,
  phoneNumberVerified: false,
  city: null,
  state: null,
  blocked: false,
}

/** What a change ends. `everything`: whoever held the account until now keeps nothing of it, not even its password. */
export type Ending = 'everything' | 'access' | 'resets' | 'nothing'

export function endingOf(known: PersonState, after: PersonState): Ending {
  // Somebody may have made the account under a name that was not theirs, and waits for its owner to come (decision D1).
  if (!known.emailVerified || known.madeIn !== after.madeIn) return 'everything'
  // Also when it is lifted: what slipped through while it was set does not come to life by that.
  if (known.blocked !== after.blocked) return 'access'
  return foldLogin(known.email) === foldLogin(after.email) ? 'nothing' : 'resets'
}

export function isUnchanged(known: PersonState, after: PersonState): boolean {
  return FIELDS.every((field) => known[field] === after[field])
}

const FIELDS = [
  'role',
  'email',
  'emailVerified',
  'username',
  'name',
  'nickname',
  'picture',
  'phoneNumber',
  'phoneNumberVerified',
  'city',
  'state',
  'blocked',
  'madeIn',
] as const satisfies ReadonlyArray<keyof PersonState>
