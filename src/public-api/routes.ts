import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { RequestLog } from '../domain/requests/request-log.ts'
import type { Issuer } from '../domain/tokens/access-token.ts'
import { type Registration, registrationIn } from '../domain/webhooks/registration.ts'
import { overloaded } from '../http/admission.ts'
import type { Door } from '../http/door.ts'
import { takeJsonOnly } from '../http/json-body.ts'
import { type Answer, type Call, hangOperation } from '../http/operation.ts'
import { Problem, problemJson, sendProblem } from '../http/problem.ts'
import { note, noteRefusal, recordRequests } from '../http/record-requests.ts'
import { writtenAhead } from '../http/refuse-late.ts'
import type { Bell } from '../platform/bell.ts'
import type { Cipher } from '../platform/cipher.ts'
import type { Db, DbOrTransaction } from '../platform/db.ts'
import type { TargetRules } from '../platform/safe-request/target.ts'
import { transaction } from '../platform/transaction.ts'
import type { ApiCall, ApiOperation } from './api-call.ts'
import { type ApiCaller, admitCaller, type CallerCheck } from './caller.ts'
import { hangCommandLine } from './command-line/hang-command-line.ts'
import { onceForKey, readIdempotencyKey } from './idempotency.ts'
import type { ListenerStreams } from './listener-streams.ts'
import { OPERATIONS } from './operations.ts'

export type PublicApiParts = CallerCheck & {
  db: Db
  cipher: Cipher
  /** For all calls that are in no transaction. */
  registration: Registration
  targets: TargetRules
  bell: Bell
  baseUrl: string
  requestLog: RequestLog
  streams: ListenerStreams
  tokens: Issuer
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Who calls the public API; set before the body is read. */
    apiCaller: ApiCaller | null
  }
}

const PREFIX = '/api'
/** Only additions are made to this version (decision C13). */
const VERSION = '/v2/public'

/** What integrators call with an access token. The door is wider than its version, so that another one is a problem, no page. */
export function publicApiDoor(parts: PublicApiParts): Door {
  return {
    name: 'public-api',
    prefix: PREFIX,
    routes: (app) => routes(app, parts),
    takes: { type: 'application/json', most: '64 KiB' },
    quickRefusals: [
      {
        addresses: new Set(
          OPERATIONS.map(({ path }) => `${PREFIX}${VERSION}${path}`).filter((path) => !path.includes(':')),
        ),
        headers: { 'content-type': 'application/problem+json' },
        body: writtenAhead((id) => JSON.stringify(problemJson(parts.baseUrl, overloaded(1), id))),
      },
    ],
    answer: (problem, request, reply) => {
      noteRefusal(request, problem)
      return sendProblem(parts.baseUrl, problem, request, reply.header('cache-control', 'no-store'))
    },
  }
}

function routes(app: FastifyInstance, parts: PublicApiParts): void {
  takeJsonOnly(app)
  recordRequests(app, parts.requestLog)
  app.decorateRequest('apiCaller', null)
  for (const operation of OPERATIONS) {
    hangOperation(
      app,
      { ...operation, path: VERSION + operation.path },
      {
        admit: async (request, reply) => {
          request.apiCaller = await admitCaller(parts, request, reply, operation)
        },
        answer: (call, request) => carryOut(parts, operation, call, request).catch(goneMeanwhile),
      },
    )
  }
  hangCommandLine(app, VERSION, parts)
}

/** The answer is given when what was left for after the commit is done. */
async function carryOut(
  parts: PublicApiParts,
  operation: ApiOperation,
  call: Call,
  request: FastifyRequest,
): Promise<Answer> {
  const after: Array<(db: Db) => Promise<void>> = []
  const answer = await committed(parts, operation, call, request, (work) => void after.push(work))
  noteRepeated(request, answer)
  for (const work of after) await work(parts.db)
  return answer
}

async function committed(
  { db, cipher, registration, targets, audiences, bell, baseUrl, streams }: PublicApiParts,
  operation: ApiOperation,
  call: Call,
  request: FastifyRequest,
  afterCommit: ApiCall['afterCommit'],
): Promise<Answer> {
  const { apiCaller: caller } = request
  if (caller === null) throw new Error('An operation was reached by nobody')
  const made = { ...call, caller, cipher, targets, audiences, bell, baseUrl, streams, afterCommit }
  const key = operation.method === 'POST' ? readIdempotencyKey(request.headers['idempotency-key']) : null
  if (key === null) {
    const atomically = <Value>(work: (tx: DbOrTransaction) => Promise<Value>) => transaction(db, work)
    return operation.run({ ...made, db, registration, atomically })
  }
  const { application, environment, userId } = caller
  const scope = [application.id, environment, userId ?? '', operation.method, pathOf(operation, call), key]
  return onceForKey(
    db,
    cipher,
    { scope, body: call.body?.text ?? '' },
    (tx, atomically) => operation.run({ ...made, db: tx, registration: registrationIn(tx, cipher), atomically }),
    (problem) => {
      noteRefusal(request, problem)
      return {
        status: problem.status,
        body: problemJson(baseUrl, problem, request.id),
        headers: { ...problem.headers, 'content-type': 'application/problem+json' },
      }
    },
  )
}

/** One way to write it, whatever the request left encoded or put behind it. */
function pathOf({ path }: ApiOperation, { parameters }: Call): string {
  return PREFIX + VERSION + path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(parameters[name] ?? ''))
}

/** A refusal that was kept is given again without being made again. */
function noteRepeated(request: FastifyRequest, { status }: Answer): void {
  if (status < 400 || request.noted?.refusal) return
  const reason = 'The refusal that this Idempotency-Key got the first time was answered again.'
  note(request, { refusal: { error: 'repeated', reason, facts: {} } })
}

/** A foreign key that leads nowhere any more, a deadlock, a failed serialisation. */
const OVERTAKEN: ReadonlySet<unknown> = new Set(['23503', '40P01', '40001'])

/** What the request names was there when it was looked at, and went before it was written: a facility, or the person. */
function goneMeanwhile(error: unknown): never {
  const isOvertaken = error instanceof Error && 'code' in error && OVERTAKEN.has(error.code)
  if (!isOvertaken) throw error
  throw new Problem(
    409,
    'changed_meanwhile',
    'Changed meanwhile',
    'Something that this request names was removed a moment ago. Repeat it.',
  )
}
