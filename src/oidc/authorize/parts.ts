import type { FastifyReply } from 'fastify'
import type { Issuer } from '../../domain/tokens/access-token.ts'
import type { BrowserTools } from '../../http/browser.ts'
import { note, noteApplication } from '../../http/record-requests.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Db } from '../../platform/db.ts'
import { sendAuthorizeResponse } from '../response-modes/response-mode.ts'
import type { AuthorizeReader } from './read-request.ts'
import type { ReplyTarget } from './request.ts'

/** What /authorize and the pages on its way lean on. */
export type AuthorizeParts = { db: Db; issuer: Issuer; clock: Clock; reader: AuthorizeReader; browsers: BrowserTools }

/** Tells the application what went wrong, at its redirect URI and by its response mode (decision B8). */
export function answerError(
  { issuer }: Pick<AuthorizeParts, 'issuer'>,
  reply: FastifyReply,
  target: ReplyTarget,
  error: string,
  description: string,
  reason = description,
): FastifyReply {
  noteApplication(reply.request, target.application)
  note(reply.request, { refusal: { error, reason, facts: {} } })
  return sendAuthorizeResponse(reply, target, issuer.issuer, { error, error_description: description })
}
