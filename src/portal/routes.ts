import type { Door } from '../http/door.ts'
import { sendPage } from '../http/page.ts'
import { errorPage } from '../ui/error-page.ts'

/** Where integrators run their applications. */
export function portalDoor(): Door {
  return {
    name: 'portal',
    prefix: '/portal',
    routes: () => {},
    answer: (problem, request, reply) =>
      sendPage(reply.headers(problem.headers), problem.status, errorPage(problem, request.id)),
  }
}
