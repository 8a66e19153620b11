import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import { describeError } from '../platform/log.ts'
import { admitInTurn } from './admission.ts'
import {
  type AnswerProblem,
  malformedBody,
  methodNotAllowed,
  notFound,
  type Problem,
  problemFrom,
  type TakenBodies,
} from './problem.ts'

/** One kind of visitor: the paths under a prefix, and the style in which errors under it are answered, unknown paths included. */
export type Door = {
  name: string
  prefix: string
  routes: (app: FastifyInstance) => void
  answer: AnswerProblem
  takes?: TakenBodies
  /** The same, for addresses that are asked so often that it has to be quick. */
  quickRefusals?: readonly QuickRefusal[]
}

/** Full paths, and what they say when they are overloaded; the body may name the request. */
export type QuickRefusal = {
  addresses: ReadonlySet<string>
  headers: Record<string, string>
  body: (requestId: string) => string
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Which door the request came in by; a label for metrics and logs. */
    door: string
  }
}

const METHODS: HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/** `longestWaitMs` is for how long a request may wait for its turn; without it everybody is let in at once. */
export function hangDoor(app: FastifyInstance, door: Door, longestWaitMs: number | null = null): void {
  app.register(
    async (inside) => {
      inside.addHook('onRequest', (request, _, done) => {
        request.door = door.name
        done()
      })
      if (longestWaitMs !== null) admitInTurn(inside, door.answer, longestWaitMs)
      inside.setNotFoundHandler((request, reply) => door.answer(notFound(), request, reply))
      inside.setErrorHandler((error, request, reply) => answerError(error, request, reply, door.answer, door.takes))

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
  takes?: TakenBodies,
): unknown {
  const problem = brokeOff(request) ? malformedBody() : problemFrom(error, takes)
  if (problem.status >= 500) noteFailure(error, problem, request)
  return answer(problem, request, reply)
}

/** A bug has its stack written down; what is over in a moment has a line, of which there may be very many. */
function noteFailure(error: unknown, { status }: Problem, { id: reqId, log }: FastifyRequest): void {
  if (status !== 503) return log.error({ err: error, reqId }, 'request failed')
  const { errorCode, message } = describeError(error)
  log.warn({ reqId, errorCode, why: message }, 'request put off')
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
