import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { quietPort } from '../test/harness/quiet-port.ts'

/** One address for all processes: each connection goes to the next one that takes it, as behind a plain load balancer. */
export type Front = { url: string; close: () => Promise<void> }

export async function startFront(ports: readonly number[]): Promise<Front> {
  const open = new Set<Socket>()
  let turn = 0
  const port = await quietPort()
  const server = createServer({ pauseOnConnect: true }, (client) => {
    open.add(client)
    client.on('error', () => {}).on('close', () => open.delete(client))
    turn += 1
    forward(client, [...ports.slice(turn % ports.length), ...ports.slice(0, turn % ports.length)])
  }).listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      for (const client of open) client.destroy()
      await new Promise((done) => server.close(done))
    },
  }
}

/** Only a process that nobody listens for is passed over: of one that took the connection, what it did is not known. */
function forward(client: Socket, [port, ...others]: number[]): void {
  if (port === undefined) return void client.destroy()
  const server = connect({ host: '127.0.0.1', port })
  let isConnected = false
  server.on('connect', () => {
    isConnected = true
    server.pipe(client)
    client.pipe(server)
  })
  server.on('error', () => (isConnected ? client.destroy() : forward(client, others)))
  server.on('close', () => isConnected && client.destroy())
  client.on('close', () => server.destroy())
}
