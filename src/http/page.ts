import type { FastifyReply } from 'fastify'

/** A page needs its style sheet and images from here, and its forms end here; nothing else (decision E2). */
const PAGE_POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

export function sendPage(reply: FastifyReply, status: number, markup: { toString(): string }): FastifyReply {
  return reply
    .code(status)
    .header('content-security-policy', PAGE_POLICY)
    .type('text/html; charset=utf-8')
    .send(markup.toString())
}
