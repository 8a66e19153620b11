import { countWaiting, openStream } from '../domain/listeners/listener-store.ts'
import { EVENT_STREAM } from '../http/event-stream.ts'
import type { ApiOperation } from './api-call.ts'
import { LISTENER_PARAMETER, LISTENER_PROBLEMS, LISTENERS, listenerPlace, noListener } from './listener-docs.ts'
import { StreamedEvents } from './listener-schemas.ts'

const EXAMPLE = `event: waiting
data: {"stream":1,"count":1,"handedOut":0,"tokenExpiresIn":3600}

id: 1
event: delivery
data: {"deliveryId":"dlv_0198a6c2d1f07c3e9a41b7d2e5f60722","attempt":1,"eventId":"evt_0198a6c2d1f07c3e9a41b7d2e5f60720","type":"shift.created","createdAt":"2026-11-15T08:00:00.000Z","handedOutBefore":false,"headers":{"webhook-id":"evt_0198a6c2d1f07c3e9a41b7d2e5f60720"},"body":"{}"}

`

/** GET /sandbox/listeners/:name/stream. One for each listener: the newest takes over. */
export const openListenerStream: ApiOperation = {
  method: 'GET',
  path: `${LISTENERS}/:name/stream`,
  id: 'openListenerStream',
  tag: 'Sandbox',
  summary: 'Open a listener’s stream',
  description:
    'What waits, the longest waiting first, and then what comes, as server-sent events. A delivery comes again on the next stream until somebody reports what came of it, so nothing has to be remembered here: `Last-Event-ID` may be sent and changes nothing. An older stream of the same listener is told `replaced`, and ends.',
  parameters: LISTENER_PARAMETER,
  answers: {
    200: {
      description: 'The stream. It goes on until either side ends it.',
      schema: StreamedEvents,
      example: EXAMPLE,
      mediaType: EVENT_STREAM,
    },
  },
  problems: LISTENER_PROBLEMS,
  run: async (call) => {
    const place = listenerPlace(call)
    const stream = await openStream(call.db, place)
    if (stream === null) throw noListener()
    const waiting = await countWaiting(call.db, place)
    const { tokenExpiresAt, stillMay } = call.caller
    return { status: 200, stream: call.streams.open({ ...place, stream }, { waiting, tokenExpiresAt, stillMay }) }
  },
}
