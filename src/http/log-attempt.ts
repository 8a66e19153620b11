import type { FastifyRequest } from 'fastify'
import { networkOf } from '../domain/requests/network.ts'

/** Somebody who says who they are, at a page. What they typed is no part of it: passwords are typed into any field. */
export type Attempt = {
  who: 'person' | 'integrator' | 'staff'
  by: 'password' | 'one-time code' | 'passkey'
  outcome: 'right' | 'wrong' | 'too-many' | 'busy'
  /** Known when the password was right; null when anybody could have typed it. */
  account: string | null
}

/**
 * One line for every attempt, right or wrong, so that an operator can tell what happened and when (record 95). A wrong one is
 * nothing to be alarmed at: people mistype.
 */
export function logAttempt(request: FastifyRequest, attempt: Attempt): void {
  request.log.info({ reqId: request.id, ...attempt, network: networkOf(request.ip) }, 'sign-in attempt')
}
