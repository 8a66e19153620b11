import { connect } from 'node:net'
import type { LoadRequest } from './order.ts'

export type Answer = { status: number; body: string }

/** One kept-alive HTTP/1.1 connection, one request at a time, as little work as possible: the load must not be the limit. */
export type Connection = { send: (request: LoadRequest) => Promise<Answer>; close: () => void }

export async function openConnection(port: number): Promise<Connection> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  await new Promise<void>((done, failed) => socket.once('connect', done).once('error', failed))
  let received = ''
  let waiting: { resolve: (answer: Answer) => void; reject: (error: Error) => void } | null = null

  function end(error: Error): void {
    waiting?.reject(error)
    waiting = null
  }

  socket.setEncoding('latin1')
  socket.on('data', (chunk: string) => {
    received += chunk
    const answer = wholeAnswer(received)
    if (answer === null) return
    received = ''
    const { resolve } = waiting ?? {}
    waiting = null
    if (answer instanceof Error) socket.destroy(answer)
    else resolve?.(answer)
  })
  socket.on('error', end)
  socket.on('close', () => end(new Error('The server closed the connection')))

  return {
    send: ({ method, path, headers, body }) =>
      new Promise((resolve, reject) => {
        waiting = { resolve, reject }
        const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
        const length = method === 'GET' ? '' : `content-length: ${Buffer.byteLength(body)}\r\n`
        socket.write(`${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n${lines.join('')}${length}\r\n${body}`)
      }),
    close: () => socket.destroy(),
  }
}

function wholeAnswer(text: string): Answer | Error | null {
  const headEnd = text.indexOf('\r\n\r\n')
  if (headEnd === -1) return null
  const length = /\r\ncontent-length: (\d+)/i.exec(text.slice(0, headEnd))?.[1]
  if (length === undefined) return new Error('An answer without a length')
  const body = text.slice(headEnd + 4)
  return body.length < Number(length) ? null : { status: Number(text.slice(9, 12)), body }
}
