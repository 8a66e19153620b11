import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Environment } from '../domain/environment.ts'
import type { Refusal } from '../domain/requests/logged-request.ts'
import type { RequestLog } from '../domain/requests/request-log.ts'
import type { Problem } from './problem.ts'

/** What is found out about a request on its way, for the request log of the application's team. */
export type Noted = {
  applicationId: string | null
  /** There is such an application; until that is known, somebody merely says so. */
  applicationIsKnown: boolean
  environment: Environment | null
  operation: string | null
  refusal: Refusal | null
}

declare module 'fastify' {
  interface FastifyRequest {
    noted: Noted | null
  }
}

/** Every request of a door that turned out to be an application's is written down when its answer is out. */
export function recordRequests(app: FastifyInstance, log: RequestLog): void {
  app.decorateRequest('noted', null)
  app.addHook('onResponse', (request, reply, done) => {
    const { noted, shed } = request
    // Who is turned away because of others is not the application's to read about (decision record 94).
    if (!shed && noted !== null && noted.applicationId !== null) {
      log.record({
        at: new Date(),
        requestId: request.id,
        applicationId: noted.applicationId,
        applicationIsKnown: noted.applicationIsKnown,
        environment: noted.environment,
        method: request.method,
        path: request.routeOptions.url ?? UNKNOWN_ADDRESS,
        operation: noted.operation,
        status: reply.statusCode,
        refusal: noted.refusal,
        durationMs: Math.round(reply.elapsedTime),
        address: request.ip,
      })
    }
    done()
  })
}

export function note(request: FastifyRequest, known: Partial<Noted>): void {
  request.noted = { ...(request.noted ?? NOTHING), ...known }
}

export function noteApplication(request: FastifyRequest, { id }: { id: string }): void {
  note(request, { applicationId: id, applicationIsKnown: true })
}

/** Whom the request says it comes from, unless that is known already. */
export function noteClaim(request: FastifyRequest, applicationId: string | null): void {
  if (request.noted?.applicationId || applicationId === null || !/^[\w-]{1,64}$/.test(applicationId)) return
  note(request, { applicationId })
}

/** `error` is the code as it is answered, which a door may choose. */
export function noteRefusal(request: FastifyRequest, problem: Problem, error = problem.code): void {
  const { applicationId, applicationIsKnown } = problem
  if (applicationIsKnown && applicationId !== null) noteApplication(request, { id: applicationId })
  else noteClaim(request, applicationId)
  note(request, { refusal: { error, reason: problem.reason, facts: problem.facts } })
}

/** What was sent is not written down, and a wrong address may have anything in it. */
const UNKNOWN_ADDRESS = '(unknown address)'

const NOTHING: Noted = {
  applicationId: null,
  applicationIsKnown: false,
  environment: null,
  operation: null,
  refusal: null,
}
