import type { Connection } from './connection.ts'
import { callService, type ServiceAnswer, type ServiceCall } from './http-call.ts'
import { refusalOf } from './refused.ts'

const API = '/api/v2/public'

export type ApiRequest = Pick<ServiceCall, 'method' | 'path' | 'body' | 'bodyText' | 'headers' | 'signal'>

/** Calls the public API (`path` is what follows its version) and answers what it says, parsed: `{ data, … }`. */
export async function callApi(connection: Connection, request: ApiRequest): Promise<unknown> {
  const { baseUrl, accessToken } = connection
  const call = { ...request, path: API + request.path }
  const token = await accessToken()
  const first = await callService(baseUrl, { ...call, accessToken: token })
  if (first.status !== 401) return taken(first, baseUrl)
  // Revoked, or signed by a key that is gone: with another one it may work, and if there is none, that is said instead.
  const other = await accessToken(token)
  return taken(await callService(baseUrl, { ...call, accessToken: other }), baseUrl)
}

function taken(answer: ServiceAnswer, baseUrl: string): unknown {
  if (answer.status >= 200 && answer.status < 300) return answer.json
  throw refusalOf(answer, baseUrl)
}
