import type { IncomingMessage } from 'node:http'
import { newId } from '../platform/ids.ts'

/** A proxy or an integrator may name the request; anything that is not a plain short name gets one of ours. */
export function requestId(request: IncomingMessage): string {
  const given = request.headers['x-request-id']
  return typeof given === 'string' && /^[A-Za-z0-9._-]{1,128}$/.test(given) ? given : newId('req')
}
