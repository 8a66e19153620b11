import { createPasswordHasher } from '../../platform/password-hash.ts'

/** Never null, as the service's own hasher answers when it is busy: whoever is made without a password could never sign in. */
export type HashDemoPassword = () => Promise<string>

/** With a patience of its own: HANDOVER_LONGEST_WAIT_MS is for those who wait for an answer, and at the start nobody does. */
export function demoPasswordHasher(password: string): HashDemoPassword {
  const passwords = createPasswordHasher()
  return async () => {
    const hash = await passwords.hash(password)
    if (hash === null) throw new Error('The demo password could not be hashed')
    return hash
  }
}
