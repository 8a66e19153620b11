import { keepListener } from '../domain/listeners/keep-listener.ts'
import { isListenerName, LISTENER_NAME, listenerUrl, MOST_LISTENERS } from '../domain/listeners/listener.ts'
import { countWaiting } from '../domain/listeners/listener-store.ts'
import { limitWords } from '../domain/webhooks/register-webhook.ts'
import { Problem } from '../http/problem.ts'
import { fieldReader, wrongFields } from '../http/read-fields.ts'
import { type ApiOperation, optionalBody, viewerOf } from './api-call.ts'
import { LISTENER_PARAMETER, LISTENERS, listenerAnswer, listenerJson, listenerPlace } from './listener-docs.ts'
import { type ListenerFields, PutListener } from './listener-schemas.ts'

const read = fieldReader<ListenerFields>(PutListener)

/** PUT /sandbox/listeners/:name (decision record 82). */
export const putListener: ApiOperation = {
  method: 'PUT',
  path: `${LISTENERS}/:name`,
  id: 'putListener',
  tag: 'Sandbox',
  summary: 'Make a listener, or bring it up to date',
  description:
    'In sandbox only, with a token of the application itself. A listener gets what the webhooks of the application are sent where no URL of yours can be called: it is made of one facility webhook and one user webhook with the same secret, whose deliveries wait until they are fetched from its stream. Every call subscribes it to the events asked for, and to the facilities that are connected by then.',
  parameters: LISTENER_PARAMETER,
  body: { schema: PutListener, example: { events: ['shift.created'] }, optional: true },
  answers: { 200: listenerAnswer('The listener, up to date.'), 201: listenerAnswer('The listener, made.') },
  problems: ['sandbox_only', 'application_only', 'limit_reached', 'changed_meanwhile'],
  run: async (call) => {
    const place = listenerPlace(call)
    const { sound, faults } = read(optionalBody(call))
    if (!isListenerName(place.name)) faults.push({ pointer: '/path/name', code: 'malformed', message: LISTENER_NAME })
    if (faults.length > 0) throw wrongFields(faults)
    const { application } = call.caller
    const url = listenerUrl(call.baseUrl, place.name)
    const kept = await call.atomically(async (tx) => {
      const outcome = await keepListener(tx, call.cipher, {
        application,
        name: place.name,
        events: sound.events ?? [],
        url,
      })
      // Thrown here, so that nothing of it stays.
      if (outcome.outcome === 'too-many-listeners') throw limitReached(tooManyListeners())
      if (outcome.outcome === 'too-many-webhooks') throw limitReached(limitWords(outcome.limit, viewerOf(call.caller)))
      return outcome
    })
    call.afterCommit(async () => call.bell.ring())
    const { count } = await countWaiting(call.db, place)
    return { status: kept.outcome === 'made' ? 201 : 200, body: { data: listenerJson(kept.listener, count) } }
  },
}

function tooManyListeners(): string {
  return `This application has ${MOST_LISTENERS} listeners, which is as many as allowed. Delete one, or use the name of one.`
}

function limitReached(detail: string): Problem {
  return new Problem(409, 'limit_reached', 'Limit reached', detail)
}
