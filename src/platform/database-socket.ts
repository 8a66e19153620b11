import { connect, type Socket } from 'node:net'
import { Duplex } from 'node:stream'
import type { DatabaseHost } from './database-hosts.ts'

/**
 * The sockets of a pool. A connection with no traffic either way for `silenceLimitMs` is cut: a machine or a firewall that
 * went away without a word leaves connections that answer nothing and end never, and a pool of those is dead for good.
 */
export function socketSource(
  choose: () => Promise<DatabaseHost>,
  silenceLimitMs: number | null,
): () => Promise<Duplex> {
  return async () => {
    try {
      const chosen = await choose()
      // TLS verifies the certificate against this name.
      const socket = Object.assign(connect(chosen), { host: chosen.host })
      if (silenceLimitMs !== null) cutWhenSilent(socket, silenceLimitMs)
      // What may take its time is COPY, whose last word is a short one and would wait 40 ms for the word before to arrive.
      else socket.setNoDelay(true)
      return socket
    } catch (error) {
      return failing(error)
    }
  }
}

/** By counting bytes, because postgres.js takes every listener off a socket when it puts TLS on it. */
function cutWhenSilent(socket: Socket, limitMs: number): void {
  let traffic = 0
  let since = Date.now()
  const watch = setInterval(() => {
    if (socket.destroyed) return clearInterval(watch)
    const now = socket.bytesRead + socket.bytesWritten
    if (now !== traffic) {
      traffic = now
      since = Date.now()
    } else if (Date.now() - since >= limitMs) {
      clearInterval(watch)
      const silent = new Error(`The database was silent for ${limitMs} ms`)
      socket.destroy(Object.assign(silent, { code: 'CONNECTION_SILENT' }))
    }
  }, limitMs / 10)
  watch.unref()
}

/**
 * To postgres.js a promise that fails costs the pool a connection for ever, and so does a socket that closes before the
 * first word is sent; one that fails at the first word is tried again.
 */
function failing(error: unknown): Duplex {
  const reason = error instanceof Error ? error : new Error(String(error))
  return new Duplex({ read: () => {}, write: (_chunk, _encoding, done) => done(reason) })
}
