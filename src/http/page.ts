import type { FastifyReply } from 'fastify'

/**
 * A page needs its style sheet and images from here, and nothing else (decision E2). Where the POST of its form may end at an
 * application, that one's scheme is allowed too: Chromium applies form-action to the whole chain of redirects, so naming the
 * origin would still block a callback that redirects on, after the application got its code (decision B23).
 */
export function sendPage(
  reply: FastifyReply,
  status: number,
  markup: { toString(): string },
  endsAt: string | null = null,
): FastifyReply {
  const formAction = endsAt === null ? "'self'" : `'self' ${formActionFor(endsAt)}`
  return reply
    .code(status)
    .header(
      'content-security-policy',
      `default-src 'none'; style-src 'self'; img-src 'self' https: data:; form-action ${formAction}; frame-ancestors 'none'; base-uri 'none'`,
    )
    .type('text/html; charset=utf-8')
    .send(markup.toString())
}

/** The scheme alone, so that nothing else of a redirect URI can find its way into a policy. */
export function formActionFor(uri: string): string {
  const scheme = /^[a-z][a-z0-9+.-]*:/i.exec(uri)?.[0]
  return scheme === undefined ? "'none'" : scheme.toLowerCase()
}
