import type { FastifyReply } from 'fastify'
import { encodeFields, type Field } from './fields.ts'

/** OAuth 2.0 Multiple Response Types 2.1. A query that the redirect URI has already stays (RFC 6749 3.1.2). */
export function sendQuery(reply: FastifyReply, redirectUri: string, fields: Field[]): FastifyReply {
  const joiner = redirectUri.includes('?') ? '&' : '?'
  return reply
    .code(302)
    .header('location', `${redirectUri}${joiner}${encodeFields(fields)}`)
    .send()
}
