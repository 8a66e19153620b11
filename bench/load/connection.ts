import { connect } from 'node:net'
import type { LoadRequest } from './order.ts'

export type Answer = { status: number; head: string; body: string }

/** One kept-alive HTTP/1.1 connection, one request at a time, as little work as possible: the load must not be the limit. */
export type Connection = { send: (request: LoadRequest) => Promise<Answer>; close: () => void }

export async function openConnection(port: number): Promise<Connection> {
  let received = ''
  let waiting: { resolve: (answer: Answer) => void; reject: (error: Error) => void } | null = null

  function end(error: Error): void {
    waiting?.reject(error)
    waiting = null
  }

  function take(bytes: number): boolean {
    received += ARRIVING.toString('latin1', 0, bytes)
    const answer = wholeAnswer(received)
    if (answer === null) return true
    received = ''
    const { resolve } = waiting ?? {}
    waiting = null
    if (answer instanceof Error) socket.destroy(answer)
    else resolve?.(answer)
    return true
  }

  const onread = { buffer: ARRIVING, callback: take }
  const socket = connect({ port, host: '127.0.0.1', noDelay: true, onread })
  await new Promise<void>((done, failed) => socket.once('connect', done).once('error', failed))
  socket.on('error', end)
  socket.on('close', () => end(new Error('The server closed the connection')))

  return {
    send: (request) =>
      new Promise((resolve, reject) => {
        waiting = { resolve, reject }
        socket.write(written(request, port))
      }),
    close: () => socket.destroy(),
  }
}

/** What was read is looked at before the next is read, so one place for all connections will do, and no stream is in between. */
const ARRIVING = Buffer.alloc(65_536)

/** By the server's port: a request that is sent again and again is written down once. */
const writtenBefore = new Map<number, WeakMap<LoadRequest, Buffer>>()

function written(request: LoadRequest, port: number): Buffer {
  const ofPort = writtenBefore.get(port) ?? new WeakMap<LoadRequest, Buffer>()
  writtenBefore.set(port, ofPort)
  const known = ofPort.get(request)
  if (known !== undefined) return known
  const { method, path, headers, body } = request
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const length = method === 'GET' ? '' : `content-length: ${Buffer.byteLength(body)}\r\n`
  const text = `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n${lines.join('')}${length}\r\n${body}`
  const bytes = Buffer.from(text)
  ofPort.set(request, bytes)
  return bytes
}

function wholeAnswer(text: string): Answer | Error | null {
  const headEnd = text.indexOf('\r\n\r\n')
  if (headEnd === -1) return null
  const head = text.slice(0, headEnd)
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1]
  if (length === undefined) return new Error('An answer without a length')
  const body = text.slice(headEnd + 4)
  return body.length < Number(length) ? null : { status: Number(text.slice(9, 12)), head, body }
}
