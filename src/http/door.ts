import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import { malformedBody, methodNotAllowed, notFound, type Problem, problemFrom } from './problem.ts'

/** One kind of visitor: the paths under a prefix, and the style in which errors under it are answered, unknown paths included. */
export type Door = {
  name: string
  prefix: string
  routes: (app: FastifyInstance) => void
  answer: AnswerProblem
}

export type AnswerProblem = (problem: Problem, request: FastifyRequest, reply: FastifyReply) => unknown

declare module 'fastify' {
  interface FastifyRequest {
    /** Which door the request came in by; a label for metrics and logs. */
    door: string
  }
}

const METHODS: HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

export function hangDoor(app: FastifyInstance, door: Door): void {
  app.register(
    async (inside) => {
      inside.addHook('onRequest', (request, _, done) => {
        request.door = door.name
        done()
      })
      inside.setNotFoundHandler((request, reply) => door.answer(notFound(), request, reply))
      inside.setErrorHandler((error, request, reply) => answerError(error, request, reply, door.answer))

      const methodsOf = new Map<string, Set<string>>()
      inside.addHook('onRoute', ({ url, method }) => {
        const methods = methodsOf.get(url) ?? new Set()
        for (const each of [method].flat()) methods.add(each)
        methodsOf.set(url, methods)
      })
      door.routes(inside)
      refuseOtherMethods(inside, door, new Map([...methodsOf].map(([url, methods]) => [url, [...methods]])))
    },
    { prefix: door.prefix },
  )
}

/** Logs what is a bug, and answers every error in the style of its door. */
export function answerError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  answer: AnswerProblem,
): unknown {
  const problem = brokeOff(request) ? malformedBody() : problemFrom(error)
  if (problem.status >= 500) request.log.error({ err: error, reqId: request.id }, 'request failed')
  return answer(problem, request, reply)
}

/** Who hangs up while the body is still coming has not met a bug of ours. */
function brokeOff({ raw }: FastifyRequest): boolean {
  return raw.destroyed && !raw.complete
}

/** A known path with another method is 405 with `Allow`, not 404 (RFC 9110 15.5.6). */
function refuseOtherMethods(inside: FastifyInstance, door: Door, methodsOf: Map<string, string[]>): void {
  for (const [url, allowed] of methodsOf) {
    const others = METHODS.filter((method) => !allowed.includes(method))
    inside.route({
      method: others,
      url: url.slice(door.prefix.length),
      exposeHeadRoute: false,
      handler: (request, reply) => door.answer(methodNotAllowed(allowed), request, reply),
    })
  }
}
