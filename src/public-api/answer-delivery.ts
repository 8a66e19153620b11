import { type LocalAnswer, settleAnswer } from '../domain/listeners/listener-answer-store.ts'
import { requiredBody } from '../http/operation.ts'
import { type FieldProblem, Problem } from '../http/problem.ts'
import { fieldReader, wrongFields } from '../http/read-fields.ts'
import type { ApiOperation } from './api-call.ts'
import { LISTENER_PARAMETER, LISTENER_PROBLEMS, LISTENERS, listenerPlace } from './listener-docs.ts'
import { AnsweredDelivery, type LocalAnswerBody, LocalAnswerFields } from './listener-schemas.ts'
import { IDEMPOTENCY_KEY } from './webhook-docs.ts'

const read = fieldReader<LocalAnswerBody>(LocalAnswerFields)

const DELIVERY = 'dlv_0198a6c2d1f07c3e9a41b7d2e5f60722'

/** POST /sandbox/listeners/:name/answers: what came of forwarding one delivery. */
export const answerDelivery: ApiOperation = {
  method: 'POST',
  path: `${LISTENERS}/:name/answers`,
  id: 'answerDelivery',
  tag: 'Sandbox',
  summary: 'Report a local answer',
  description:
    'Becomes an attempt of the delivery, which is `delivered` by any 2xx and `failed` by everything else: there are no retries. Resending it by hand hands it to the listener again. Give either `status` or `error`. The same attempt may be reported again; the first report counts.',
  parameters: LISTENER_PARAMETER,
  headers: IDEMPOTENCY_KEY,
  body: {
    schema: LocalAnswerFields,
    example: { deliveryId: DELIVERY, attempt: 1, url: 'http://localhost:3000/hooks', status: 204, durationMs: 14 },
  },
  answers: {
    200: {
      description: 'It counts, or did already.',
      schema: AnsweredDelivery,
      example: { data: { deliveryId: DELIVERY, attempt: 1, state: 'delivered' } },
      headers: ['Idempotent-Replayed'],
    },
  },
  problems: [...LISTENER_PROBLEMS, 'not_waiting', 'changed_meanwhile'],
  run: async (call) => {
    const place = listenerPlace(call)
    const answer = readAnswer(requiredBody(call))
    const answered = await call.atomically((tx) => settleAnswer(tx, place, answer))
    switch (answered.outcome) {
      case 'unknown':
        throw new Problem(
          404,
          'not_found',
          'Not found',
          'This listener has no such delivery, or it is older than 30 days.',
        )
      case 'not-waiting':
        throw new Problem(
          409,
          'not_waiting',
          'Not waiting',
          `The delivery is ${answered.state} and does not wait for this answer.`,
        )
      case 'counted': {
        // There is room in its stream for the next one.
        call.afterCommit(async () => call.bell.ring())
        const { deliveryId, attempt } = answer
        return { status: 200, body: { data: { deliveryId, attempt, state: answered.state } } }
      }
    }
  },
}

function readAnswer(raw: unknown): LocalAnswer {
  const { sound, faults } = read(raw)
  const { deliveryId, attempt, durationMs, status = null, error = null } = sound
  if (faults.length === 0 && (status === null) === (error === null))
    faults.push({ pointer: '', code: 'either_or', message: 'needs either a status or an error.' })
  const url = sound.url === undefined ? null : shownUrl(sound.url, faults)
  const body = sound.responseBody === undefined ? null : bytesOf(sound.responseBody, faults)
  if (faults.length > 0 || deliveryId === undefined || attempt === undefined || durationMs === undefined)
    throw wrongFields(faults)
  return {
    deliveryId,
    attempt,
    signedAt: sound.signedAt === undefined ? null : new Date(sound.signedAt * 1_000),
    url,
    status,
    error,
    message: sound.message ?? null,
    durationMs,
    responseHead: sound.responseHead ?? null,
    responseBody: body,
  }
}

/** For people to read in the list of attempts; nobody calls it. */
function shownUrl(text: string, faults: FieldProblem[]): string | null {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '') return url.href
  faults.push({ pointer: '/url', code: 'url_refused', message: 'must be an http or https URL without credentials.' })
  return null
}

function bytesOf(text: string, faults: FieldProblem[]): Buffer | null {
  const bytes = Buffer.from(text, 'base64')
  if (bytes.toString('base64') === text) return bytes
  faults.push({ pointer: '/responseBody', code: 'malformed', message: 'must be base64, with its padding.' })
  return null
}
