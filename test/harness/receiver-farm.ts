import { hash } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { Webhook } from 'standardwebhooks'
import { startReceiver } from './receiver.ts'

/** A request as a receiver saw it. */
export type Arrival = {
  /** By `performance.now()`, when its head was in. */
  at: number
  /** `webhook-id`: the event's. */
  id: string
  /** How often this id came here, this time included. */
  attempt: number
  /** `webhook-timestamp`, in seconds. */
  timestamp: number
  headers: IncomingHttpHeaders
  body: Buffer
  bodyHash: string
  /** Which of the holders of the post's secrets find the signature right. */
  verifiedBy: string[]
  /** Requests that were open here at that moment, this one included. */
  atOnce: number
}

/** What a receiver does with a request. */
export type Reply = (response: ServerResponse, arrival: Arrival) => void

/** One receiver: a path of its own, the secrets that it knows, and what it answers just now. */
export type Post = {
  url: string
  secrets: string[]
  reply: Reply
  arrivals: Arrival[]
  /** Requests that are open now. */
  open: () => number
}

/** Any number of receivers in this process. */
export type Farm = {
  post: (settings?: { secrets?: string[]; reply?: Reply }) => Post
  /** Connections that are open now. */
  connections: () => number
  close: () => Promise<void>
}

export async function startFarm(): Promise<Farm> {
  const posts = new Map<string, (request: IncomingMessage, response: ServerResponse) => Promise<void>>()
  const server = createServer((request, response) => {
    const take = posts.get(request.url ?? '')
    if (take === undefined) response.writeHead(404).end()
    else take(request, response).catch(() => response.destroy())
  })
  // What is open for long here is open because somebody does not close it.
  server.requestTimeout = 0
  const receiver = await startReceiver(server, '127.0.0.1')

  return {
    post: ({ secrets = [], reply = answers(204) } = {}) => {
      const path = `/${posts.size + 1}`
      const seen = new Map<string, number>()
      let open = 0
      const post: Post = {
        url: `http://127.0.0.1:${receiver.port}${path}`,
        secrets,
        reply,
        arrivals: [],
        open: () => open,
      }
      posts.set(path, async (request, response) => {
        const at = performance.now()
        open += 1
        let left = false
        const leave = () => {
          if (!left) open -= 1
          left = true
        }
        response.on('finish', leave).on('close', leave)
        const atOnce = open
        const body = await buffer(request)
        const id = String(request.headers['webhook-id'])
        const attempt = (seen.get(id) ?? 0) + 1
        seen.set(id, attempt)
        const arrival: Arrival = {
          at,
          id,
          attempt,
          timestamp: Number(request.headers['webhook-timestamp']),
          headers: request.headers,
          body,
          bodyHash: hash('sha256', body),
          verifiedBy: post.secrets.filter((secret) => verifies(secret, request.headers, body)),
          atOnce,
        }
        post.arrivals.push(arrival)
        post.reply(response, arrival)
      })
      return post
    },
    connections: receiver.open,
    close: receiver.close,
  }
}

/** As somebody who holds this secret and uses the reference library would find. */
export function verifies(secret: string, headers: IncomingHttpHeaders, body: Buffer): boolean {
  const judge = secret.startsWith('whsec_') ? new Webhook(secret) : new Webhook(Buffer.from(secret), { format: 'raw' })
  const signed = ['webhook-id', 'webhook-timestamp', 'webhook-signature']
  try {
    judge.verify(body, Object.fromEntries(signed.map((name) => [name, String(headers[name])])))
    return true
  } catch {
    return false
  }
}

export function answers(status: number, headers: Record<string, string> = {}, body: string | Buffer = ''): Reply {
  return (response) => void response.writeHead(status, headers).end(body)
}

export function later(delayMs: number, reply: Reply): Reply {
  return (response, arrival) => void setTimeout(() => !response.destroyed && reply(response, arrival), delayMs)
}

export const never: Reply = () => {}

export const resets: Reply = ({ socket }) => void socket?.resetAndDestroy()

/** Bytes as they stand, then the same again and again for as long as the other side is there. */
export function drips(start: string | Buffer, piece: string | Buffer, everyMs: number): Reply {
  return ({ socket }) => {
    socket?.write(start)
    const timer = setInterval(() => socket?.writable && socket.write(piece), everyMs)
    socket?.on('close', () => clearInterval(timer))
  }
}

/** As many bytes as the other side takes, and then more. */
export function pours(start: string, piece: Buffer): Reply {
  return ({ socket }) => {
    const more = () => {
      for (let taken = true; taken; ) taken = socket?.writable === true && socket.write(piece)
    }
    socket?.write(start)
    socket?.on('drain', more)
    more()
  }
}

/** The most that came within any stretch of this length. */
export function mostWithin(milliseconds: number, moments: ReadonlyArray<{ at: number }>): number {
  const times = moments.map(({ at }) => at).toSorted((one, other) => one - other)
  let most = 0
  let first = 0
  for (const [last, time] of times.entries()) {
    while (time - (times[first] ?? time) >= milliseconds) first += 1
    most = Math.max(most, last - first + 1)
  }
  return most
}
