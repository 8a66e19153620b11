import type { Door } from '../http/door.ts'
import { sendProblem } from '../http/problem.ts'

/** What integrators call with an access token. */
export function publicApiDoor(addresses: { baseUrl: string }): Door {
  return {
    name: 'public-api',
    prefix: '/api/v2/public',
    routes: () => {},
    answer: (problem, request, reply) => sendProblem(addresses.baseUrl, problem, request, reply),
  }
}
