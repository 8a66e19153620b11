import { OperatorError } from '../platform/operator-error.ts'
import type { ServiceAnswer } from './http-call.ts'
import { itemsOf, textOf } from './json-value.ts'
import { oneLine } from './output.ts'

/** The service said no. `status` and `code` are for who can do something about it; the message is for people. */
export class Refused extends OperatorError {
  readonly status: number
  readonly code: string

  constructor(status: number, code: string, message: string) {
    super(message)
    this.status = status
    this.code = code
  }
}

/** Problem+json (decision C2) in one sentence: what is wrong, every field of it, and the id to tell support. */
export function refusalOf({ status, json, headers }: ServiceAnswer, baseUrl: string): Refused {
  const detail = textOf(json, 'detail')
  if (detail === null) {
    const what = `${baseUrl} answered ${status}, which this service does not. Is this its address (--url, HANDOVER_URL)?`
    return new Refused(status, '', what)
  }
  const fields = itemsOf(json, 'errors').map((each) =>
    `${textOf(each, 'pointer') ?? ''} ${textOf(each, 'message') ?? ''}`.trim(),
  )
  const pause = status === 429 && headers.get('retry-after')
  const sentences = [
    // The detail of wrong fields is the first of them.
    ...(fields.length > 0 ? fields : [detail]),
    ...(pause ? [`Try again in ${pause} s.`] : []),
    `(${status} ${textOf(json, 'code') ?? ''}, request ${textOf(json, 'requestId') ?? 'without an id'})`,
  ]
  return new Refused(status, textOf(json, 'code') ?? '', oneLine(sentences.join(' ')))
}
