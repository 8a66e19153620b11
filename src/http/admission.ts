import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  onRequestHookHandler,
  preParsingHookHandler,
  preValidationHookHandler,
} from 'fastify'
import { createGate, type Gate } from '../platform/gate.ts'
import { watchTurns } from '../platform/loop-turn.ts'
import { type AnswerProblem, Problem } from './problem.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** For what is always answered: an operator looks there when nothing else is. */
    neverShed?: true
  }
  interface FastifyRequest {
    /** Where it has a place, which it gives back with its answer. */
    inside: Entrance | null
    /** It was turned away because of others: counted, but not logged one by one. */
    shed: boolean
  }
}

/** The gate of an address, and who is inside though the body may still be coming, since when; null where no body is read. */
export type Entrance = { gate: Gate; sending: Map<FastifyRequest, number> | null }

/** Enough to keep the database and the thread pool busy, and few enough that the last of them is answered in time. */
export const AT_ONCE = 64
/** What waits is in memory. */
const WAITING = 1_000

/**
 * Decision record 94: every address has a gate of its own, so that one which everybody wants, or which hangs, takes nothing from the
 * others. Whom it turns away is told so before anything is read or looked up, unless their place was given to others meanwhile, and
 * so is who lay in the socket for too long. A place is given back with the answer, not when that has been read; and while a body is
 * slow to come, as soon as somebody else could use it.
 */
export function admitInTurn(app: FastifyInstance, answer: AnswerProblem, longestWaitMs: number): void {
  app.decorateRequest('inside', null)
  app.decorateRequest('shed', false)
  const isLate = watchTurns(AT_ONCE)
  const lateMs = lateAfterMs(longestWaitMs)
  // At the routes, because to find out the route of a request costs more than all of this.
  app.addHook('onRoute', (route) => {
    if (route.config?.neverShed) return
    const hasBody = route.method !== 'GET' && route.method !== 'HEAD'
    const entrance = openEntrance(longestWaitMs, hasBody)
    const arrive: onRequestHookHandler = (request, reply, done) => {
      if (isLate(lateMs)) turnAway(request, reply, answer)
      else letIn(entrance, request, reply, done, answer)
    }
    route.onRequest = [arrive, ...[route.onRequest ?? []].flat()]
    if (!hasBody) return
    route.preParsing = [...[route.preParsing ?? []].flat(), leaveIfGone]
    const goOn: preValidationHookHandler = (request, reply, done) => {
      entrance.sending?.delete(request)
      if (request.inside !== null) done()
      else letIn(entrance, request, reply, done, answer)
    }
    route.preValidation = [goOn, ...[route.preValidation ?? []].flat()]
  })
  app.addHook('onSend', (request, reply, _, done) => {
    giveBack(request)
    // Whoever is to come back is told when, whichever queue was full.
    if (reply.statusCode === 503 && !reply.hasHeader('retry-after')) reply.header('retry-after', someSeconds())
    done()
  })
}

/** Of who hung up before the body was read nothing more is heard: no end of it, no error and no answer. */
const leaveIfGone: preParsingHookHandler = (request, _, payload, done) => {
  if (request.raw.destroyed) giveBack(request)
  done(null, payload)
}

function openEntrance(longestWaitMs: number, hasBody: boolean): Entrance {
  const limits = { atOnce: AT_ONCE, waiting: WAITING, longestWaitMs }
  if (!hasBody) return { gate: createGate(limits), sending: null }
  const sending = new Map<FastifyRequest, number>()
  const gate = createGate(limits, () => {
    const longAgo = performance.now() - longestWaitMs / 2
    for (const [request, since] of sending) {
      if (since > longAgo) return
      sending.delete(request)
      if (!request.raw.complete) giveBack(request)
    }
  })
  return { gate, sending }
}

function takePlace(entrance: Entrance, request: FastifyRequest): void {
  request.inside = entrance
  if (!request.raw.complete) entrance.sending?.set(request, performance.now())
}

/** With the answer, or before it by who is going to wait for something that is not our work. */
export function giveBack(request: FastifyRequest): void {
  const { inside } = request
  if (inside === null) return
  request.inside = null
  inside.sending?.delete(request)
  inside.gate.leave()
}

/** Now, in its turn, or not at all. */
function letIn(
  entrance: Entrance,
  request: FastifyRequest,
  reply: FastifyReply,
  done: () => void,
  answer: AnswerProblem,
): void {
  const { gate } = entrance
  if (gate.tryEnter()) {
    takePlace(entrance, request)
    return done()
  }
  if (gate.full()) return turnAway(request, reply, answer)
  const stepOut = gate.standInLine({
    go: () => {
      reply.raw.off('close', stepOut)
      takePlace(entrance, request)
      done()
    },
    refuse: () => {
      reply.raw.off('close', stepOut)
      turnAway(request, reply, answer)
    },
  })
  // Nobody is there any more to be answered.
  reply.raw.once('close', stepOut)
}

function turnAway(request: FastifyRequest, reply: FastifyReply, answer: AnswerProblem): void {
  request.shed = true
  answer(OVERLOADED[Math.floor(Math.random() * OVERLOADED.length)] ?? overloaded(1), request, reply)
}

export const OVERLOADED_DETAIL = 'More is asked of the service than it can do at the moment. Try again after a pause.'

/** Who is read so late in a turn has waited for the turn before as well, which was no shorter, and may have to wait for a place. */
export function lateAfterMs(longestWaitMs: number): number {
  return longestWaitMs / 3
}

/** Made once: there is no time for it when it is needed. Not the same moment for everybody, or all of them come back at once. */
export const OVERLOADED = [1, 2, 3].map(overloaded)

export function overloaded(seconds: number): Problem {
  return new Problem(503, 'overloaded', 'Too busy', OVERLOADED_DETAIL, { headers: { 'retry-after': String(seconds) } })
}

function someSeconds(): string {
  return String(1 + Math.floor(Math.random() * OVERLOADED.length))
}
