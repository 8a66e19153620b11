import type { FastifyReply, FastifyRequest } from 'fastify'
import { type BrowserTools, type BrowserWith, readBrowserWith, requireOwnForm, type SessionKind } from './browser.ts'
import type { Form } from './form.ts'
import { postedForm } from './posted-form.ts'
import { queryOf } from './query.ts'

/** Somebody at a page. The form is empty when nothing was posted; what was posted came from our own page. */
export type VisitWith<SomeSession> = {
  request: FastifyRequest
  reply: FastifyReply
  browser: BrowserWith<SomeSession>
  form: Form
  query: URLSearchParams
}

/** A form is taken only from our own page in the same browser and session, whoever sends it. */
export async function readVisitWith<SomeSession extends { sid: string }>(
  kind: SessionKind<SomeSession>,
  tools: BrowserTools,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<VisitWith<SomeSession>> {
  const browser = await readBrowserWith(kind, tools, request, reply)
  const form = request.method === 'POST' ? postedForm(request) : EMPTY
  if (request.method === 'POST') requireOwnForm(tools, browser, request, form)
  return { request, reply, browser, form, query: readQuery(request) }
}

/** Without NUL, which the database does not take and nobody types. */
function readQuery(request: FastifyRequest): URLSearchParams {
  const query = new URLSearchParams()
  for (const [name, value] of new URLSearchParams(queryOf(request))) query.append(name, value.replaceAll('\0', ''))
  return query
}

const EMPTY: Form = { get: () => null, has: () => false, names: () => [] }
