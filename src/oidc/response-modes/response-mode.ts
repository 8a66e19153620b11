import type { FastifyReply } from 'fastify'
import { sendFormPost } from './form-post.ts'
import { sendFragment } from './fragment.ts'
import { sendQuery } from './query.ts'

export type ResponseMode = 'query' | 'fragment' | 'form_post'

/** What goes back to the application; what is null is left out. */
export type AuthorizeResponse = Record<string, string | null>

/** Every answer, success or error, in every mode, carries `iss` (RFC 9207): an application with several servers tells us apart. */
export function sendAuthorizeResponse(
  reply: FastifyReply,
  target: { redirectUri: string; mode: ResponseMode; state: string | null },
  issuer: string,
  response: AuthorizeResponse,
): FastifyReply {
  const fields = Object.entries({ ...response, state: target.state, iss: issuer }).flatMap<[string, string]>(
    ([name, value]) => (value === null ? [] : [[name, value]]),
  )
  switch (target.mode) {
    case 'query':
      return sendQuery(reply, target.redirectUri, fields)
    case 'fragment':
      return sendFragment(reply, target.redirectUri, fields)
    case 'form_post':
      return sendFormPost(reply, target.redirectUri, fields)
  }
}
