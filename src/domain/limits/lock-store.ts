import { isIP } from 'node:net'
import type { DbOrTransaction } from '../../platform/db.ts'
import { codeLimits } from './code-limits.ts'
import { type SignInPlace, signInLimits } from './sign-in-limits.ts'

/** Whose failures are meant: the id, and everything that they type to sign in. */
export type Throttled = { id: string; logins: readonly string[]; place: SignInPlace }

/** Failures of an account within a window that is not over yet. */
export type FailureCount = {
  of: 'password' | 'code'
  /** Null when it is the count over all addresses. */
  address: string | null
  failures: number
  most: number
  until: Date
  isLocked: boolean
}

/** Of many addresses so many are shown, those with the most failures. */
const MOST_SHOWN = 50

/** The limits of an address as a whole are not among them: those are not the account's. */
export async function readFailures(db: DbOrTransaction, account: Throttled): Promise<FailureCount[]> {
  const rows = await db<Array<{ key: string; failures: number; window_ends_at: Date }>>`
    select key, failures, window_ends_at from (${keysOf(db, account)}) as found join failure_counts using (key)
    where failures > 0 and window_ends_at > now() order by failures desc, key limit ${MOST_SHOWN}`
  return rows.flatMap(({ key, failures, window_ends_at: until }) => {
    const limit = limitOf(account, key)
    return limit === null ? [] : [{ ...limit, failures, until, isLocked: failures >= limit.most }]
  })
}

/** All of the account's counts begin anew. In the order in which attempts are counted, or the two could wait for each other. */
export async function forgetFailures(tx: DbOrTransaction, account: Throttled): Promise<number> {
  const gone = await tx`
    delete from failure_counts where key in (
      select key from (${keysOf(tx, account)}) as found join failure_counts using (key) order by key for update of failure_counts
    ) returning 1`
  return gone.length
}

type Limit = Pick<FailureCount, 'of' | 'address' | 'most'>

/** Exact keys, and keys that begin so: which addresses and browsers there are, nobody knows beforehand. */
function keysOf(db: DbOrTransaction, account: Throttled) {
  const { exact, beginnings } = namesOf(account)
  // Every beginning ends in a space, and the exclamation mark is what comes after it: the range is all that begin so.
  return db`
    select key from failure_counts where key = any(${exact}::text[])
    union
    select counted.key from unnest(${beginnings}::text[]) as beginning
    cross join lateral (
      select key from failure_counts where key ~>=~ beginning and key ~<~ (left(beginning, -1) || '!')
    ) as counted`
}

function namesOf({ id, logins, place }: Throttled): { exact: string[]; beginnings: string[] } {
  const anywhere = logins.map((login) => keyAnywhere(login, place))
  return {
    exact: [...anywhere, ...codeLimits(id, null).all.map(({ key }) => key)],
    beginnings: [...anywhere.map((key) => `${key} from `), `code of ${id} in `],
  }
}

/** What the key counts; null for one that only begins like the account's, because somebody typed it so. */
function limitOf(account: Throttled, key: string): Limit | null {
  const { id, logins, place } = account
  const code = codeLimits(id, null).all.find((limit) => limit.key === key)
  if (code !== undefined) return { of: 'code', address: null, most: code.failures }
  if (key.startsWith(`code of ${id} in `)) {
    const [inWindow, inDay] = codeLimits(id, null).all
    return { of: 'code', address: null, most: (key.endsWith(' in a day') ? inDay : inWindow)?.failures ?? 0 }
  }
  for (const login of logins) {
    const anywhere = keyAnywhere(login, place)
    const address = key.slice(`${anywhere} from `.length)
    const limits = signInLimits(login, address, place)
    const limit = limits.all.find((each) => each.key === key)
    if (limit === undefined) continue
    if (key === anywhere) return { of: 'password', address: null, most: limit.failures }
    return isIP(address) === 0 ? null : { of: 'password', address, most: limit.failures }
  }
  return null
}

function keyAnywhere(login: string, place: SignInPlace): string {
  const { accountAndAddress } = signInLimits(login, '', place)
  return accountAndAddress.key.slice(0, -' from '.length)
}
