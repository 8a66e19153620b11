import type { Door } from '../http/door.ts'
import { sendProblem } from '../http/problem.ts'

/** What the marketplace's own back end calls with a platform key. */
export function platformApiDoor(addresses: { baseUrl: string }): Door {
  return {
    name: 'platform-api',
    prefix: '/platform/v1',
    routes: () => {},
    answer: (problem, request, reply) => sendProblem(addresses.baseUrl, problem, request, reply),
  }
}
