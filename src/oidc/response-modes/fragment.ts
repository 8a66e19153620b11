import type { FastifyReply } from 'fastify'
import { encodeFields, type Field } from './fields.ts'

/** OAuth 2.0 Multiple Response Types 2.1: the fragment stays in the browser and reaches no server. */
export function sendFragment(reply: FastifyReply, redirectUri: string, fields: Field[]): FastifyReply {
  return reply
    .code(302)
    .header('location', `${redirectUri}#${encodeFields(fields)}`)
    .send()
}
