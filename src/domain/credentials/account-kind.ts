import type { SignInPlace } from '../limits/sign-in-limits.ts'

/** Somebody with an account, as every kind of account knows them. */
export type Account = { id: string; email: string; name: string }

/**
 * One kind of account (decision E1): the tables it is kept in and how long a browser stays signed in. The tables of each kind
 * have the same columns but for `owner`, the one that names the account.
 */
export type AccountKind = {
  /** In what is authenticated with a ciphertext: never changed once something is stored. */
  name: 'integrator' | 'staff'
  place: SignInPlace
  owner: string
  tables: {
    accounts: string
    sessions: string
    browsers: string
    pendingSignIns: string
    resets: string
    totpSecrets: string
    recoveryCodes: string
  }
  idleSeconds: number
  absoluteSeconds: number
}
