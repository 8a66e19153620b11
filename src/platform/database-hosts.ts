import { setTimeout as sleep } from 'node:timers/promises'

export type DatabaseHost = { host: string; port: number }

/**
 * Asks one host whether it takes writes, and then in which line of history: a promotion begins the next one. Null when it
 * takes none; throws when it does not answer.
 */
export type AskHost = (host: DatabaseHost) => Promise<number | null>

/** When one takes writes, the others are given this long to say that they do, too. */
const GRACE_MS = 100

type Primary = { host: DatabaseHost; line: number }

/**
 * The host to connect to, found anew for every connection: the primary may have moved. Left to itself, postgres.js tries
 * several hosts for ever and without a pause when all are down, and one that is silent costs every connection its whole
 * patience. Connections that are opened at the same moment share one search.
 *
 * Where two take writes, the older line is a primary that was replaced and came back knowing nothing of it: what it took
 * would be lost. So it is never chosen beside the newer one, nor after that one was seen (decision record 93).
 */
export function hostChooser(hosts: readonly DatabaseHost[], ask: AskHost): () => Promise<DatabaseHost> {
  const [first, ...others] = hosts
  if (first === undefined) throw new Error('There is no host to choose')
  if (others.length === 0) return async () => first
  let newest = 0
  let underway: Promise<DatabaseHost> | null = null

  async function search(): Promise<DatabaseHost> {
    const { host, line } = await findPrimary(hosts, async (one) => {
      const answered = await ask(one)
      if (answered === null) throw noPrimary(`${one.host}:${one.port} takes no writes`)
      if (answered < newest) throw noPrimary(`${one.host}:${one.port} was replaced by another server`)
      return { host: one, line: answered }
    })
    newest = line
    return host
  }

  return () => {
    underway ??= search().finally(() => {
      underway = null
    })
    return underway
  }
}

/** Of those that answer in time the one with the newest line; of equals, the one that is named first. */
async function findPrimary(
  hosts: readonly DatabaseHost[],
  ask: (host: DatabaseHost) => Promise<Primary>,
): Promise<Primary> {
  const found: Array<Primary | undefined> = []
  const asked = hosts.map(async (host, position) => {
    found[position] = await ask(host)
  })
  try {
    await Promise.any(asked)
  } catch (error) {
    throw error instanceof AggregateError ? mostTelling(error.errors) : error
  }
  const enough = new AbortController()
  const grace = sleep(GRACE_MS, undefined, { signal: enough.signal }).catch(() => {})
  await Promise.race([Promise.allSettled(asked), grace])
  enough.abort()
  return found
    .filter((primary) => primary !== undefined)
    .reduce((best, primary) => (primary.line > best.line ? primary : best))
}

function noPrimary(message: string): Error {
  return Object.assign(new Error(message), { code: 'NO_PRIMARY' })
}

/** What a server answered says more than that another one could not be reached. */
function mostTelling(errors: readonly unknown[]): unknown {
  const unreached = /^(E[A-Z]+|CONNECT_TIMEOUT)$/
  return (
    errors.find((error) => !(error instanceof Error && 'code' in error && unreached.test(String(error.code)))) ??
    errors[0]
  )
}
