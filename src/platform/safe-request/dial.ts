import { once } from 'node:events'
import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls, type SecureContext } from 'node:tls'
import { type AddressRules, addressesOf } from './lookup.ts'
import { codeOf, RequestFailed, tlsFailure } from './request-failed.ts'

export type Place = { host: string; port: number; secure: boolean }

export type DialSettings = { addresses: AddressRules; secureContext: SecureContext; connectMs: number }

/** A socket, and the address that it was checked for and dialled to: no name is resolved between the two. */
export type Dialled = { socket: Socket; address: string }

const MOST_TRIED = 4

/**
 * Resolves, checks and connects, all within `connectMs`, and shakes hands: a host that was reached has the time of the whole
 * request for that, as for everything it says (decision D4). Addresses are tried in turn while they cannot be reached; one
 * that was reached and failed at TLS has given the host's answer.
 */
export async function dial(place: Place, settings: DialSettings, cut: AbortSignal): Promise<Dialled> {
  const { host } = place
  const { connectMs } = settings
  const deadline = performance.now() + connectMs
  const limit = new AbortController()
  const end = (failure: RequestFailed) => limit.abort(failure)
  const slow = () =>
    end(new RequestFailed('connect-timeout', `${host} could not be connected to within ${connectMs} ms`))
  const cutOff = () => end(new RequestFailed('connect', `The connection to ${host} was given up`))
  const timer = setTimeout(slow, connectMs)
  cut.addEventListener('abort', cutOff)
  try {
    if (cut.aborted) cutOff()
    const addresses = await orAborted(addressesOf(host, settings.addresses), limit.signal)
    const reached = await reachInTurn(place, addresses.slice(0, MOST_TRIED), settings, deadline, limit.signal)
    clearTimeout(timer)
    if (place.secure) await secured(reached.socket, host, limit.signal)
    return reached
  } finally {
    clearTimeout(timer)
    cut.removeEventListener('abort', cutOff)
  }
}

async function reachInTurn(
  place: Place,
  addresses: readonly string[],
  settings: DialSettings,
  deadline: number,
  limit: AbortSignal,
): Promise<Dialled> {
  let failure: unknown
  for (const [position, address] of addresses.entries()) {
    // A share of the time that is left, so that one silent address does not use up all of it.
    const patienceMs = Math.max(1, (deadline - performance.now()) / (addresses.length - position))
    const socket = socketTo(address, place, settings)
    try {
      await connected(socket, place.host, patienceMs, limit)
      return { socket, address }
    } catch (error) {
      socket.destroy()
      limit.throwIfAborted()
      failure = error
    }
  }
  throw failure
}

function socketTo(address: string, { host, port, secure }: Place, { secureContext }: DialSettings): Socket {
  const to = { host: address, port, noDelay: true }
  const socket = secure
    ? connectTls({
        ...to,
        secureContext,
        ALPNProtocols: ['http/1.1'],
        // Said out loud, because an environment variable of Node's would switch it off.
        rejectUnauthorized: true,
        // The name to ask for and to prove; with an address as the host, the certificate must be for the address.
        ...(isIP(host) === 0 ? { servername: host } : {}),
      })
    : connectTcp(to)
  // Whoever waits for the socket hears of errors; one that comes while nobody does must not end the process.
  return socket.on('error', () => {})
}

async function connected(socket: Socket, host: string, patienceMs: number, limit: AbortSignal): Promise<void> {
  socket.setTimeout(patienceMs, () =>
    socket.destroy(new RequestFailed('connect-timeout', `${host} did not answer within ${Math.round(patienceMs)} ms`)),
  )
  try {
    await once(socket, 'connect', { signal: limit })
    socket.setTimeout(0)
  } catch (error) {
    if (error instanceof RequestFailed) throw error
    throw new RequestFailed('connect', `${host} could not be reached (${codeOf(error)})`, { cause: error })
  }
}

async function secured(socket: Socket, host: string, limit: AbortSignal): Promise<void> {
  try {
    await once(socket, 'secureConnect', { signal: limit })
  } catch (error) {
    socket.destroy()
    limit.throwIfAborted()
    throw tlsFailure(host, error)
  }
}

/** Nobody can stop a question to a name server, but nobody has to wait for the answer. */
async function orAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const stop = () => reject(signal.reason)
  if (signal.aborted) stop()
  signal.addEventListener('abort', stop)
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
