import { createSecureContext } from 'node:tls'
import { type buildConnector, Client } from 'undici'
import { type Dialled, type DialSettings, dial } from './dial.ts'
import { nameServers, type Resolve } from './lookup.ts'

export type SafeAgentOptions = {
  /** By default the name servers of this machine. */
  resolve?: Resolve
  /** Demo mode: `localhost`, 127.0.0.0/8 and ::1 may be called by these names. */
  loopbackAllowed?: boolean
  /** For tests: addresses that count as public. */
  permit?: (address: string) => boolean
  /** For name, connection and TLS together. */
  connectMs?: number
  /** How long a connection waits for its next request. */
  idleMs?: number
  mostIdle?: number
  /** For tests: trusted instead of the well-known authorities. */
  ca?: string
}

/** One connection, used by one request at a time. */
export type Connection = {
  client: Client
  /** What was dialled; empty until then. */
  address: () => string
  /** For the next request to the same origin. */
  giveBack: () => void
  /** At once, whatever it is doing, also while it is being made. */
  cut: (reason?: Error) => Promise<void>
}

/** Asked when a connection had to be made, before the request goes over it: that can take seconds. */
export type StillWanted = () => Promise<boolean>

/** The request was not wanted any more, and not a byte of it was sent. */
export class Withdrawn extends Error {
  override readonly name = 'Withdrawn'
}

export type SafeAgent = {
  /** One that waits for a request, or a new one. */
  take: (origin: string, stillWanted?: StillWanted) => Connection
  /** Cuts everything. */
  close: () => Promise<void>
}

const CONNECT_MS = 5_000
/** Many servers close after five seconds, often without a word; a request that meets that would fail for nothing. */
const IDLE_MS = 4_000
const MOST_IDLE = 1_000
/** Many webhooks can be one integrator's, at one host. */
const MOST_IDLE_OF_AN_ORIGIN = 500
const MOST_HEADER_BYTES = 64 * 1024

/**
 * Connections to hosts that other people chose. Each is dialled by us to an address that was checked a moment before
 * (decision C9), knows no proxy and no redirect, and holds no more than its buffers (decision D4).
 *
 * One undici Client for each connection instead of undici's own pool: a request that is out of time can then cut its own
 * connection even while it is being made, the address is known, and idle ones are counted over tens of thousands of hosts.
 */
export function createSafeAgent(options: SafeAgentOptions = {}): SafeAgent {
  const settings: DialSettings = {
    addresses: {
      resolve: options.resolve ?? nameServers(),
      loopbackAllowed: options.loopbackAllowed ?? false,
      permit: options.permit ?? (() => false),
    },
    secureContext: createSecureContext(options.ca === undefined ? {} : { ca: options.ca }),
    connectMs: options.connectMs ?? CONNECT_MS,
  }
  const idleMs = options.idleMs ?? IDLE_MS
  const mostIdle = options.mostIdle ?? MOST_IDLE
  const all = new Set<Connection>()
  /** Longest idle first. */
  const idle = new Map<Connection, string>()
  const idleByOrigin = new Map<string, Connection[]>()
  /** By the request that uses it now. */
  const wanted = new WeakMap<Connection, StillWanted>()

  function leaveIdle(connection: Connection): void {
    const origin = idle.get(connection)
    if (origin === undefined) return
    idle.delete(connection)
    const waiting = idleByOrigin.get(origin) ?? []
    waiting.splice(waiting.lastIndexOf(connection), 1)
    if (waiting.length === 0) idleByOrigin.delete(origin)
  }

  function becomeIdle(connection: Connection, origin: string): void {
    const waiting = idleByOrigin.get(origin) ?? []
    if (!connection.client.stats.connected || waiting.length >= MOST_IDLE_OF_AN_ORIGIN) return void connection.cut()
    idle.set(connection, origin)
    idleByOrigin.set(origin, waiting)
    waiting.push(connection)
    const [longest] = idle.keys()
    if (idle.size > mostIdle) void longest?.cut()
  }

  function open(origin: string): Connection {
    const cutting = new AbortController()
    let address = ''
    const notWanted = async () => (await wanted.get(connection)?.()) === false
    async function connect({ hostname, port, protocol }: buildConnector.Options, done: buildConnector.Callback) {
      const secure = protocol === 'https:'
      const place = { host: hostname, port: Number(port) || (secure ? 443 : 80), secure }
      let dialled: Dialled | null = null
      try {
        dialled = await dial(place, settings, cutting.signal)
        if (await notWanted()) throw new Withdrawn('The request was withdrawn')
      } catch (error) {
        dialled?.socket.destroy()
        return done(error instanceof Error ? error : new Error(String(error)), null)
      }
      address = dialled.address
      done(null, dialled.socket)
    }
    const client = new Client(origin, {
      connect: (place, done) => void connect(place, done),
      pipelining: 1,
      allowH2: false,
      useMilo: false,
      maxHeaderSize: MOST_HEADER_BYTES,
      keepAliveTimeout: idleMs,
      keepAliveMaxTimeout: idleMs,
      // The request's own limit is for all of it, and exact.
      headersTimeout: 0,
      bodyTimeout: 0,
    })
    const connection: Connection = {
      client,
      address: () => address,
      giveBack: () => becomeIdle(connection, origin),
      cut: async (reason) => {
        leaveIdle(connection)
        all.delete(connection)
        cutting.abort()
        await client.destroy(reason ?? null)
      },
    }
    // One that is in use is its request's affair: undici dials again when it finds an idle socket closed.
    client.on('disconnect', () => {
      if (idle.has(connection)) void connection.cut()
    })
    all.add(connection)
    return connection
  }

  return {
    take: (origin, stillWanted = async () => true) => {
      const connection = idleByOrigin.get(origin)?.at(-1) ?? open(origin)
      leaveIdle(connection)
      wanted.set(connection, stillWanted)
      return connection
    },
    close: async () => {
      await Promise.all([...all].map((connection) => connection.cut()))
    },
  }
}
