import { setTimeout as sleep } from 'node:timers/promises'

export type DatabaseHost = { host: string; port: number }

/** Asks one host whether it takes writes; throws when it does not answer. */
export type AskHost = (host: DatabaseHost) => Promise<boolean>

/** So that the first host that is well is chosen, and one that is silent holds up the next for this long only. */
const HEAD_START_MS = 100

/**
 * The host to connect to, found anew for every connection: the primary may have moved. Left to itself, postgres.js tries
 * several hosts for ever and without a pause when all are down, and one that is silent costs every connection its whole
 * patience. Connections that are opened at the same moment share one search.
 */
export function hostChooser(hosts: readonly DatabaseHost[], ask: AskHost): () => Promise<DatabaseHost> {
  const [first, ...others] = hosts
  if (first === undefined) throw new Error('There is no host to choose')
  if (others.length === 0) return async () => first
  let underway: Promise<DatabaseHost> | null = null
  return () => {
    underway ??= firstThatTakesWrites(hosts, ask).finally(() => {
      underway = null
    })
    return underway
  }
}

async function firstThatTakesWrites(hosts: readonly DatabaseHost[], ask: AskHost): Promise<DatabaseHost> {
  const found = new AbortController()
  const asked = hosts.map(async (host, position) => {
    await sleep(position * HEAD_START_MS, undefined, { signal: found.signal })
    if (!(await ask(host))) throw new Error(`${host.host}:${host.port} takes no writes`)
    return host
  })
  try {
    return await Promise.any(asked)
  } catch (error) {
    throw error instanceof AggregateError ? mostTelling(error.errors) : error
  } finally {
    found.abort()
  }
}

/** What a server answered says more than that another one could not be reached. */
function mostTelling(errors: readonly unknown[]): unknown {
  const unreached = /^(E[A-Z]+|CONNECT_TIMEOUT)$/
  return (
    errors.find((error) => !(error instanceof Error && 'code' in error && unreached.test(String(error.code)))) ??
    errors[0]
  )
}
