import type { FastifyInstance } from 'fastify'
import { isLoopbackHost } from '../platform/loopback.ts'
import { Problem } from './problem.ts'

const FORWARDED = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip']

/**
 * Demo mode has seeded passwords, so it answers only who asks for a loopback name (a web page that rebinds its own name to
 * 127.0.0.1 does not) and nobody who comes through a proxy (decision A4).
 */
export function answerLoopbackOnly(app: FastifyInstance): void {
  app.addHook('onRequest', async (request) => {
    if (!isLoopbackHost(request.hostname)) {
      throw new Problem(421, 'loopback_only', 'Demo mode', 'Demo mode answers only at localhost, 127.0.0.1 and [::1].')
    }
    const proxy = FORWARDED.find((name) => request.headers[name] !== undefined)
    if (proxy !== undefined) {
      throw new Problem(403, 'loopback_only', 'Demo mode', `Demo mode takes no forwarded requests (header ${proxy}).`)
    }
  })
}
