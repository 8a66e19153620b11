import { passwordFault } from './password-rules.ts'
import { type Profile, readProfile } from './profile.ts'
import { ROLES, type User } from './user.ts'

/** What a newcomer tells us, checked; the password is still as they typed it. */
export type NewPerson = Omit<Profile, 'picture'> & Pick<User, 'role' | 'email' | 'username'> & { password: string }

export type SignUpField = keyof NewPerson
export type SignUpTyped = Record<SignUpField, string | null>
export type SignUpFaults = Partial<Record<SignUpField, string>>

/** Every wrong field at once, so that nobody has to send the form nine times. */
export function readSignUp(typed: SignUpTyped): { person: NewPerson } | { faults: SignUpFaults } {
  const email = typed.email?.trim() ?? ''
  const username = typed.username?.trim() || null
  const password = typed.password ?? ''
  const role = ROLES.find((known) => known === typed.role)
  const read = readProfile({ ...typed, picture: null })
  const found = {
    ...(read.kind === 'faulty' ? read.faults : {}),
    role: role === undefined ? 'Choose one.' : null,
    email: emailFault(email),
    username: usernameFault(username),
    password: passwordFault(password, { email, username }),
  }
  const faults: SignUpFaults = Object.fromEntries(Object.entries(found).filter(([, fault]) => fault !== null))
  if (read.kind === 'faulty' || role === undefined || Object.keys(faults).length > 0) return { faults }
  const { name, nickname, phoneNumber, city, state } = read.profile
  return { person: { name, nickname, phoneNumber, city, state, role, email, username, password } }
}

/**
 * What browsers take for an address, with a dot in its domain. ASCII only, as browsers send it: two addresses that look alike
 * or fold into each other would let one person receive what is meant for another.
 */
const ADDRESS =
  /^[\w.!#$%&'*+/=?^`{|}~-]{1,64}@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i
const LONGEST_ADDRESS = 254

export function emailFault(email: string): string | null {
  if (email === '') return 'Tell us your e-mail address.'
  return email.length <= LONGEST_ADDRESS && ADDRESS.test(email)
    ? null
    : 'That does not look like an e-mail address. Write it like ann@example.com.'
}

/** Never an @, or a username could be taken for somebody's address (decision B18). */
export function usernameFault(username: string | null): string | null {
  if (username === null || /^[a-z0-9](?:[a-z0-9._-]{1,30})[a-z0-9]$/i.test(username)) return null
  return 'Use 3 to 32 letters, digits, dots, dashes or underscores; begin and end with a letter or digit.'
}
