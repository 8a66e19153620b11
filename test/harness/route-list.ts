import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { FastifyInstance } from 'fastify'

/** Starts something that builds an HTTP server, and answers every path that was hung in it as well. */
export async function withRoutes<Started>(
  start: () => Promise<Started>,
): Promise<{ started: Started; paths: readonly string[] }> {
  const paths = new Set<string>()
  const listen = (message: unknown) => {
    if (!hasFastify(message)) return
    message.fastify.addHook('onRoute', ({ url }) => void paths.add(url))
  }
  subscribe('fastify.initialization', listen)
  try {
    return { started: await start(), paths: [...paths] }
  } finally {
    unsubscribe('fastify.initialization', listen)
  }
}

function hasFastify(message: unknown): message is { fastify: FastifyInstance } {
  return typeof message === 'object' && message !== null && 'fastify' in message
}
