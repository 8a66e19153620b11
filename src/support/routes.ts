import type { Door } from '../http/door.ts'
import { sendPage } from '../http/page.ts'
import { errorPage } from '../ui/error-page.ts'

/** Where support changes what only support may change. */
export function supportDoor(): Door {
  return {
    name: 'support',
    prefix: '/support',
    routes: () => {},
    answer: (problem, request, reply) =>
      sendPage(reply.headers(problem.headers), problem.status, errorPage(problem, request.id)),
  }
}
