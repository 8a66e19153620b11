import type { Door } from '../http/door.ts'
import { sendPage } from '../http/page.ts'
import { errorPage } from '../ui/error-page.ts'

/** The identity server. People in a browser get a page, programs the JSON of RFC 6749 5.2. */
export function oidcDoor(): Door {
  return {
    name: 'oidc',
    prefix: '/oidc',
    routes: () => {},
    answer: (problem, request, reply) => {
      reply.headers(problem.headers)
      if (request.headers.accept?.includes('text/html')) {
        return sendPage(reply, problem.status, errorPage(problem, request.id))
      }
      return reply.code(problem.status).send({ error: problem.code, error_description: problem.detail })
    },
  }
}
