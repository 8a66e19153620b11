import { once } from 'node:events'
import type { Server, Socket } from 'node:net'

/** Stands for a public address in tests: everything in 127.0.0.0/8 is this machine, and nothing else listens there. */
export const PUBLIC = '127.0.0.2'

/** A server of any kind, with its connections counted. */
export type Receiver = {
  port: number
  /** Connections that ever came. */
  connections: () => number
  /** Connections that are open now. */
  open: () => number
  /** Cuts the connections that are open. */
  cut: () => void
  close: () => Promise<void>
}

export async function startReceiver(server: Server, address = PUBLIC, port = 0): Promise<Receiver> {
  const sockets = new Set<Socket>()
  let came = 0
  // Before TLS, so that handshakes that fail are counted too.
  server.on('connection', (socket: Socket) => {
    came += 1
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
  })
  server.on('tlsClientError', () => {})
  server.listen(port, address)
  await once(server, 'listening')
  const bound = server.address()
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    port: typeof bound === 'object' && bound !== null ? bound.port : 0,
    connections: () => came,
    open: () => sockets.size,
    cut,
    close: async () => {
      cut()
      await new Promise((done) => server.close(done))
    },
  }
}
