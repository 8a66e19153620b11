import type { FastifyReply } from 'fastify'

export function sendPage(
  reply: FastifyReply,
  status: number,
  markup: { toString(): string },
  endsAt: string | null = null,
): FastifyReply {
  return reply.code(status).headers(pageHeaders(endsAt)).send(markup.toString())
}

/**
 * A page gets its style sheet, its one script and images from here, and no text can become markup or code in it (decision E2).
 * Logos and portraits are wherever their owners keep them, so images may come from any https address. Where the POST of its
 * form may end at an application, that one's scheme is allowed too: Chromium applies form-action to the whole chain of
 * redirects, so naming the origin would still block a callback that redirects on, after the application got its code
 * (decision B23).
 */
export function pageHeaders(endsAt: string | null): Record<string, string> {
  const formAction = endsAt === null ? "'self'" : `'self' ${formActionFor(endsAt)}`
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' https: data:",
    "connect-src 'self'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
    `form-action ${formAction}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ')
  return { 'content-security-policy': policy, 'content-type': 'text/html; charset=utf-8' }
}

/** The scheme alone, so that nothing else of a redirect URI can find its way into a policy. */
export function formActionFor(uri: string): string {
  const scheme = /^[a-z][a-z0-9+.-]*:/i.exec(uri)?.[0]
  return scheme === undefined ? "'none'" : scheme.toLowerCase()
}
