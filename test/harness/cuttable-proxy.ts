import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { quietPort } from './quiet-port.ts'

/**
 * What stands between the service and its database, and can be cut in the ways that networks are:
 * - `refuse`: nobody listens any more, and every connection is reset,
 * - `reset`: connections are taken and reset,
 * - `hang`: connections are taken, and not a byte goes through. What was connected then stays silent for ever, as after a
 *   firewall or a machine went away without a word.
 */
export type CuttableProxy = {
  port: number
  cut(how: 'refuse' | 'reset' | 'hang'): Promise<void>
  mend(): Promise<void>
  /** Connections that are open now. */
  open(): number
  /** Connections that were ever tried while somebody listened. */
  tried(): number
  close(): Promise<void>
}

export async function startCuttableProxy(target: { host: string; port: number }): Promise<CuttableProxy> {
  let state: 'forward' | 'refuse' | 'reset' | 'hang' = 'forward'
  let tried = 0
  const pairs = new Map<Socket, Socket | null>()

  const take = (client: Socket): void => {
    tried += 1
    client.on('error', () => {})
    if (state === 'reset') return reset(client)
    const server = state === 'hang' ? null : connect(target)
    pairs.set(client, server)
    client.on('close', () => {
      pairs.delete(client)
      server?.destroy()
    })
    if (server === null) return
    server.on('error', () => reset(client))
    server.on('close', () => {
      if (state !== 'hang') client.destroy()
    })
    client.pipe(server).pipe(client)
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
          upstream?.destroy()
        }
    },
    mend: async () => {
      state = 'forward'
      if (!server.listening) server = await listen(createServer(take), port)
    },
    open: () => pairs.size,
    tried: () => tried,
    close: stopListening,
  }
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
