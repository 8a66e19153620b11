import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** A network to PostgreSQL that swallows everything of the client's once a message with a mark in it has gone through. */
export type OneWay = {
  urlOf: (databaseUrl: string) => string
  swallowed: Promise<void>
  close: () => Promise<void>
}

export async function startOneWay(target: { port: number }, mark: string): Promise<OneWay> {
  const swallowed = Promise.withResolvers<void>()
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect({ host: '127.0.0.1', port: target.port })
    let forwards = true
    client.on('data', (chunk) => {
      if (forwards) upstream.write(chunk)
      if (!chunk.includes(mark)) return
      forwards = false
      swallowed.resolve()
    })
    upstream.pipe(client)
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    urlOf: (databaseUrl) => Object.assign(new URL(databaseUrl), { port: String(port) }).href,
    swallowed: swallowed.promise,
    close: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((done) => server.close(done))
    },
  }
}
