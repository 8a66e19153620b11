// A proxy in a thread of its own, so that it goes on while the test's thread stands still. It counts what clients send.
import { connect, createServer } from 'node:net'
import { isMainThread, Worker, workerData } from 'node:worker_threads'

/** In memory that both threads have. */
const SENT = 0
const PORT = 1

export type CountingProxy = {
  port: number
  sent: () => number
  /** Stands still until more was sent than so much. */
  waitForMore: (than: number, withinMs: number) => 'ok' | 'not-equal' | 'timed-out'
  close: () => Promise<number>
}

export async function startCountingProxy(port: number): Promise<CountingProxy> {
  const counts = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT))
  const worker = new Worker(new URL(import.meta.url), { workerData: { port, counts } })
  await Atomics.waitAsync(counts, PORT, 0).value
  return {
    port: Atomics.load(counts, PORT),
    sent: () => Atomics.load(counts, SENT),
    waitForMore: (than, withinMs) => Atomics.wait(counts, SENT, than, withinMs),
    close: () => worker.terminate(),
  }
}

function proxyTo(port: number, counts: Int32Array): void {
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1')
    client.on('data', () => {
      Atomics.add(counts, SENT, 1)
      Atomics.notify(counts, SENT)
    })
    client.pipe(upstream).pipe(client)
    for (const socket of [client, upstream]) socket.on('error', () => socket.destroy())
  }).listen(0, '127.0.0.1', () => {
    const address = server.address()
    Atomics.store(counts, PORT, typeof address === 'object' ? (address?.port ?? 0) : 0)
    Atomics.notify(counts, PORT)
  })
}

if (!isMainThread) {
  const { port, counts }: { port: number; counts: Int32Array } = workerData
  proxyTo(port, counts)
}
