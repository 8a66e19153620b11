import type { FastifyReply, FastifyRequest } from 'fastify'
import { etagOf, isKnown } from '../http/etag.ts'
import { sendPage } from '../http/page.ts'

/** Something that is the same for everybody, made for the first who asks. */
export type Kept = { body: string; etag: string }

export type Keeping<Source extends object> = (
  source: Source,
  name: string,
  make: (source: Source) => { toString(): string },
) => Kept

/** What was made from one source goes with it. */
export function keeping<Source extends object>(): Keeping<Source> {
  const made = new WeakMap<Source, Map<string, Kept>>()
  return (source, name, make) => {
    const kept = made.get(source) ?? new Map<string, Kept>()
    made.set(source, kept)
    const found = kept.get(name) ?? keep(make(source))
    kept.set(name, found)
    return found
  }
}

function keep(body: { toString(): string }): Kept {
  const text = body.toString()
  return { body: text, etag: etagOf(text) }
}

/** Long enough to read from page to page, short enough that a new version is seen while one is looking for it. */
const KEPT_BY_OTHERS = 'public, max-age=300'

/** A page of the documentation knows nobody, so anyone may keep it, unlike every other page of ours. */
export function sendKeptPage(request: FastifyRequest, reply: FastifyReply, { body, etag }: Kept): FastifyReply {
  reply.headers({ etag, 'cache-control': KEPT_BY_OTHERS })
  return isKnown(request, etag) ? reply.code(304).send() : sendPage(reply, 200, body)
}

/** Text for programs, on any origin. */
export function sendKeptText(
  request: FastifyRequest,
  reply: FastifyReply,
  { body, etag }: Kept,
  type: string,
): FastifyReply {
  reply.headers({
    etag,
    'cache-control': KEPT_BY_OTHERS,
    'access-control-allow-origin': '*',
    'cross-origin-resource-policy': 'cross-origin',
  })
  return isKnown(request, etag) ? reply.code(304).send() : reply.type(type).send(body)
}
