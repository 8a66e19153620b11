import type { FastifyReply, FastifyRequest } from 'fastify'

/** Over https the name says that the cookie is this host's alone (`__Host-`), so that no neighbour can plant one. */
export type CookieJar = {
  read: (request: FastifyRequest, name: string) => string | null
  set: (reply: FastifyReply, name: string, value: string, maxAgeSeconds: number) => void
  clear: (reply: FastifyReply, name: string) => void
}

export function cookieJar(https: boolean): CookieJar {
  const full = (name: string) => (https ? `__Host-${name}` : name)
  const attributes = `; Path=/; HttpOnly; SameSite=Lax${https ? '; Secure' : ''}`
  return {
    read: (request, name) => {
      const prefix = `${full(name)}=`
      const found = (request.headers.cookie ?? '').split('; ').find((pair) => pair.startsWith(prefix))
      const value = found?.slice(prefix.length) ?? ''
      return /^[A-Za-z0-9_-]{20,200}$/.test(value) ? value : null
    },
    set: (reply, name, value, maxAgeSeconds) =>
      void reply.header('set-cookie', `${full(name)}=${value}${attributes}; Max-Age=${maxAgeSeconds}`),
    clear: (reply, name) => void reply.header('set-cookie', `${full(name)}=${attributes}; Max-Age=0`),
  }
}
