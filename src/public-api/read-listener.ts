import { countWaiting, findListener } from '../domain/listeners/listener-store.ts'
import type { ApiOperation } from './api-call.ts'
import {
  LISTENER_PARAMETER,
  LISTENER_PROBLEMS,
  LISTENERS,
  listenerAnswer,
  listenerJson,
  listenerPlace,
  noListener,
} from './listener-docs.ts'

/** GET /sandbox/listeners/:name. */
export const readListener: ApiOperation = {
  method: 'GET',
  path: `${LISTENERS}/:name`,
  id: 'readListener',
  tag: 'Sandbox',
  summary: 'Read a listener',
  description: 'What it is made of, and how many deliveries wait for it.',
  parameters: LISTENER_PARAMETER,
  answers: { 200: listenerAnswer('The listener.') },
  problems: LISTENER_PROBLEMS,
  run: async (call) => {
    const place = listenerPlace(call)
    const listener = await findListener(call.db, call.cipher, place)
    if (listener === null) throw noListener()
    const { count } = await countWaiting(call.db, place)
    return { status: 200, body: { data: listenerJson(listener, count) } }
  },
}
