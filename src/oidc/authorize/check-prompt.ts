import type { Form } from '../../http/form.ts'
import { AuthorizeError } from './authorize-error.ts'
import type { Prompt } from './request.ts'

const PROMPTS: readonly Prompt[] = ['none', 'login', 'consent', 'select_account']

/** OpenID Core 3.1.2.1. A value we do not know is ignored, as unknown parameters are. */
export function checkPrompt(form: Form): ReadonlySet<Prompt> {
  const words = (form.get('prompt') ?? '').split(' ')
  const prompt = new Set(PROMPTS.filter((known) => words.includes(known)))
  if (prompt.has('none') && prompt.size > 1) {
    throw new AuthorizeError('invalid_request', 'prompt=none cannot be combined with another value.')
  }
  return prompt
}

export function checkMaxAge(form: Form): number | null {
  const text = form.get('max_age')
  if (text === null) return null
  if (!/^\d{1,9}$/.test(text)) throw new AuthorizeError('invalid_request', 'max_age must be a number of seconds.')
  return Number(text)
}
