import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { statementReader } from './postgres-frames.ts'
import { testServerUrl } from './test-database.ts'

/** Stands between the service and PostgreSQL: makes the way longer, and knows every statement that goes by. */
export type DatabaseProxy = {
  urlOf: (databaseUrl: string) => string
  /** Text of each statement that was run, in order. */
  statements: string[]
  close: () => Promise<void>
}

export async function startDatabaseProxy({ delayMs = 0 } = {}): Promise<DatabaseProxy> {
  const target = new URL(testServerUrl())
  const statements: string[] = []
  const sockets = new Set<Socket>()

  const server = createServer({ noDelay: true }, (client) => {
    const upstream = connect({ host: target.hostname, port: Number(target.port), noDelay: true })
    const read = statementReader((statement) => statements.push(statement))
    client.on('data', (chunk) => read(chunk))
    forward(client, upstream, delayMs)
    forward(upstream, client, 0)
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0

  return {
    statements,
    urlOf: (databaseUrl) => {
      const through = new URL(databaseUrl)
      through.hostname = '127.0.0.1'
      through.port = String(port)
      return through.href
    },
    close: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((done) => server.close(done))
    },
  }
}

/** Timers of one length fire in the order they were set, so the bytes keep theirs. */
function forward(from: Socket, to: Socket, delayMs: number): void {
  from.on('data', (chunk) => {
    if (delayMs === 0) to.write(chunk)
    else setTimeout(() => to.writable && to.write(chunk), delayMs)
  })
  from.on('close', () => setTimeout(() => to.destroy(), delayMs))
}
