import type { FastifyRequest } from 'fastify'
import { type Form, parseForm } from './form.ts'
import { Problem } from './problem.ts'

/** The form in the body of a POST to a page of ours. */
export function postedForm(request: FastifyRequest): Form {
  const outcome = parseForm(typeof request.body === 'string' ? request.body : '')
  if (outcome.kind === 'form' && outcome.repeated.length === 0) return outcome.form
  throw new Problem(400, 'malformed_form', 'This form is damaged', 'Go back, reload the page and try again.')
}
