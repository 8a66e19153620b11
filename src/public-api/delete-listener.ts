import { deleteListener as remove } from '../domain/listeners/listener-store.ts'
import type { ApiOperation } from './api-call.ts'
import { LISTENER_PARAMETER, LISTENER_PROBLEMS, LISTENERS, listenerPlace, noListener } from './listener-docs.ts'

/** DELETE /sandbox/listeners/:name. */
export const deleteListener: ApiOperation = {
  method: 'DELETE',
  path: `${LISTENERS}/:name`,
  id: 'deleteListener',
  tag: 'Sandbox',
  summary: 'Delete a listener',
  description: 'Its webhooks go along. Its stream ends, and what still waited is cancelled.',
  parameters: LISTENER_PARAMETER,
  answers: { 204: { description: 'It is gone.' } },
  problems: [...LISTENER_PROBLEMS, 'changed_meanwhile'],
  run: async (call) => {
    if (!(await remove(call.db, listenerPlace(call)))) throw noListener()
    call.afterCommit(async () => call.bell.ring())
    return { status: 204 }
  },
}
