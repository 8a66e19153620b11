import { createServer, type RequestListener, type Server } from 'node:http'
import type { Socket } from 'node:net'
import { OperatorError } from '../platform/operator-error.ts'

/**
 * A port that is ours from the first moment of the start: a port in use is found before any data is touched, and port 0
 * (tests) is known before the addresses that follow it are written anywhere. Until the service is ready it answers 503.
 */
export type Listener = {
  port: number
  answer: (listener: RequestListener) => void
  /** Stops accepting, lets what is in flight finish, and cuts what is not done in time. */
  close: (patienceMs: number) => Promise<void>
}

const IDLE_CHECK_MS = 50
/** Browsers and HTTP clients connect ahead of need. To Node such a connection is busy, until somebody waited for its first byte in vain. */
const UNUSED_MS = 500

const answerStarting: RequestListener = (_, response) => {
  response.writeHead(503, { 'retry-after': '1', 'content-type': 'application/json' }).end('{"status":"starting"}')
}

export async function claimPort(host: string, port: number, variable: string): Promise<Listener> {
  let answer = answerStarting
  let closing = false
  const make = (): Server =>
    createServer({ requestTimeout: 30_000, headersTimeout: 15_000, keepAliveTimeout: 72_000 }, (request, response) => {
      if (closing) response.setHeader('connection', 'close')
      answer(request, response)
    })

  const servers = await bind(make, host, port, variable)
  const sockets = new Set<Socket>()
  for (const server of servers)
    server.on('connection', (socket: Socket) => {
      sockets.add(socket)
      socket.on('close', () => sockets.delete(socket))
    })
  return {
    port: portOf(servers[0]),
    answer: (listener) => {
      answer = listener
    },
    close: async (patienceMs) => {
      closing = true
      const closed = Promise.all(servers.map((server) => new Promise((done) => server.close(done))))
      const idle = setInterval(() => servers.forEach((server) => server.closeIdleConnections()), IDLE_CHECK_MS)
      const cut = setTimeout(() => servers.forEach((server) => server.closeAllConnections()), patienceMs)
      const unused = setTimeout(() => {
        for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
      }, UNUSED_MS)
      await closed
      clearInterval(idle)
      for (const timer of [cut, unused]) clearTimeout(timer)
    },
  }
}

/** `localhost` is two addresses, and a browser may try either first; both get the same port. */
async function bind(make: () => Server, host: string, port: number, variable: string): Promise<[Server, ...Server[]]> {
  if (host !== 'localhost') return [await listen(make(), host, port, variable)]
  const first = await listen(make(), '127.0.0.1', port, variable)
  try {
    return [first, await listen(make(), '::1', portOf(first), variable)]
  } catch (error) {
    // No IPv6 on this machine, or the port was chosen for us and is taken there: 127.0.0.1 alone will do.
    if (port === 0 || !(error instanceof OperatorError)) return [first]
    first.close()
    throw error
  }
}

async function listen(server: Server, host: string, port: number, variable: string): Promise<Server> {
  try {
    await new Promise<void>((done, failed) => server.once('error', failed).listen(port, host, done))
    return server
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'EADDRINUSE')
      throw new OperatorError(`Port ${port} is in use. Stop what uses it or choose another with ${variable}.`)
    if (code === 'EACCES')
      throw new OperatorError(`Port ${port} may not be used by this account. Choose one above 1023 with ${variable}.`)
    if (code === 'EADDRNOTAVAIL' && host !== '::1')
      throw new OperatorError(`This machine has no address ${host}. Correct HANDOVER_HOST.`)
    throw error
  }
}

function portOf(server: Server): number {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The server does not listen on a port')
  return address.port
}
