import { textFault, tidy } from '../plain-text.ts'
import { passwordFault } from '../users/password-rules.ts'
import { emailFault } from '../users/sign-up.ts'
import { LONGEST_NAME } from './integrator.ts'

/** What a newcomer tells us, checked; the password is still as they typed it. */
export type NewIntegrator = { name: string; email: string; password: string }

export type IntegratorField = keyof NewIntegrator
export type IntegratorTyped = Record<IntegratorField, string | null>
export type IntegratorFaults = Partial<Record<IntegratorField, string>>

/** Every wrong field at once. */
export function readIntegrator(typed: IntegratorTyped): { newcomer: NewIntegrator } | { faults: IntegratorFaults } {
  const email = typed.email?.trim() ?? ''
  const password = typed.password ?? ''
  const { name, fault } = readName(typed.name)
  const found = { name: fault, email: emailFault(email), password: passwordFault(password, { email, username: null }) }
  const faults: IntegratorFaults = Object.fromEntries(Object.entries(found).filter(([, each]) => each !== null))
  return Object.keys(faults).length > 0 ? { faults } : { newcomer: { name, email, password } }
}

export function readName(typed: string | null): { name: string; fault: string | null } {
  const name = tidy(typed) ?? ''
  return { name, fault: name === '' ? 'Tell us your name.' : textFault(name, LONGEST_NAME) }
}
