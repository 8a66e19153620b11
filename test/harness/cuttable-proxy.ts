import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { Transform } from 'node:stream'
import { quietPort } from './quiet-port.ts'

/**
 * What stands between the service and its database, and can be cut in the ways that networks are:
 * - `refuse`: nobody listens any more, and every connection is reset,
 * - `reset`: connections are taken and reset,
 * - `hang`: connections are taken, and not a byte goes through. What was connected then stays silent for ever, as after a
 *   firewall or a machine went away without a word.
 * - `swallow`: the same, and the server is not told either: its sides of the connections stay open, with whatever they hold.
 */
export type CuttableProxy = {
  port: number
  cut(how: 'refuse' | 'reset' | 'hang' | 'swallow'): Promise<void>
  mend(): Promise<void>
  /** From now on everything takes that much longer to reach the server. */
  slow(delayMs: number): void
  /** Connections that are open now. */
  open(): number
  /** Connections that were ever tried while somebody listened. */
  tried(): number
  close(): Promise<void>
}

export async function startCuttableProxy(target: { host: string; port: number }): Promise<CuttableProxy> {
  let state: 'forward' | 'refuse' | 'reset' | 'hang' | 'swallow' = 'forward'
  let tried = 0
  let delayMs = 0
  const pairs = new Map<Socket, Socket | null>()
  const swallowed = new Map<Socket, Socket | null>()

  const take = (client: Socket): void => {
    tried += 1
    client.on('error', () => {})
    if (state === 'reset') return reset(client)
    const server = state === 'hang' || state === 'swallow' ? null : connect(target)
    pairs.set(client, server)
    client.on('close', () => {
      pairs.delete(client)
      // Of one that was swallowed the server hears nothing, not even the end.
      if (!swallowed.has(client)) server?.destroy()
    })
    if (server === null) return
    server.on('error', () => reset(client))
    server.on('close', () => {
      if (state !== 'hang' && !swallowed.has(client)) client.destroy()
    })
    client
      .pipe(late(() => delayMs))
      .pipe(server)
      .pipe(client)
  }

  const port = await quietPort()
  let server = await listen(createServer(take), port)
  const cutAll = () => {
    for (const client of pairs.keys()) reset(client)
  }
  const stopListening = async () => {
    if (!server.listening) return
    const closed = once(server, 'close')
    server.close()
    cutAll()
    await closed
  }

  return {
    port,
    cut: async (how) => {
      state = how
      if (how === 'refuse') await stopListening()
      else if (how === 'reset') cutAll()
      else
        for (const [client, upstream] of pairs) {
          client.unpipe()
          upstream?.unpipe()
          client.pause()
          if (how === 'swallow') swallowed.set(client, upstream)
          else upstream?.destroy()
        }
    },
    mend: async () => {
      state = 'forward'
      if (!server.listening) server = await listen(createServer(take), port)
    },
    slow: (ms) => {
      delayMs = ms
    },
    open: () => pairs.size,
    tried: () => tried,
    close: async () => {
      await stopListening()
      for (const upstream of swallowed.values()) upstream?.destroy()
    },
  }
}

/** Holds up what goes through, and keeps its order when the delay becomes shorter. */
function late(delayMs: () => number): Transform {
  const waiting: Buffer[] = []
  let due = 0
  return new Transform({
    transform(chunk: Buffer, _, done) {
      if (delayMs() === 0 && waiting.length === 0) return done(null, chunk)
      waiting.push(chunk)
      due = Math.max(due, performance.now() + delayMs())
      setTimeout(() => this.push(waiting.shift()), Math.max(0, due - performance.now()))
      done()
    },
  })
}

/** A reset that meets an end under way is never done, so a connection that is ending already is only closed. */
function reset(socket: Socket): void {
  if (socket.writableEnded || socket.writableLength > 0) socket.destroy()
  else socket.resetAndDestroy()
}

async function listen(server: Server, port: number): Promise<Server> {
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return server
}
