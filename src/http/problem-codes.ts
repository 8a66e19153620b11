import type { Documentation } from './operation.ts'

/** A `code` that problems have: the status it comes with, and what it tells. Codes never change their meaning. */
export type ProblemMeaning = { status: number; title: string; means: string }

/** What the threshold itself answers, whatever the door. */
export const THRESHOLD_PROBLEMS: Record<string, ProblemMeaning> = {
  malformed_url: {
    status: 400,
    title: 'Malformed URL',
    means: 'The path or the query is not valid percent-encoding.',
  },
  malformed_request: { status: 400, title: 'Malformed request', means: 'The request is not valid HTTP.' },
  malformed_body: {
    status: 400,
    title: 'Malformed body',
    means: 'The body does not have the length that Content-Length says.',
  },
  malformed_json: {
    status: 400,
    title: 'Malformed JSON',
    means:
      'The body is missing, is not JSON in UTF-8, has the same name twice in an object, holds a NUL or half of a surrogate pair, or is nested deeper than 64 levels.',
  },
  unauthorized: { status: 401, title: 'Unauthorized', means: 'The request carries no credentials.' },
  invalid_token: {
    status: 401,
    title: 'Unauthorized',
    means: 'The access token is expired, revoked, not valid, or not for this API.',
  },
  insufficient_scope: {
    status: 403,
    title: 'Insufficient scope',
    means: 'The access token lacks the scope that WWW-Authenticate names.',
  },
  not_found: { status: 404, title: 'Not found', means: 'There is no such thing, or it is not yours to see.' },
  body_too_large: { status: 413, title: 'Body too large', means: 'The body is larger than the operation takes.' },
  unsupported_media_type: {
    status: 415,
    title: 'Unsupported media type',
    means: 'The body is not sent as application/json.',
  },
  wrong_fields: {
    status: 422,
    title: 'Wrong fields',
    means: 'Fields of the body or parameters of the query are wrong. `errors` names each of them, 100 at most.',
  },
  too_many_requests: {
    status: 429,
    title: 'Too many requests',
    means: 'The rate limit is used up. Try again after as many seconds as Retry-After says.',
  },
  internal_error: {
    status: 500,
    title: 'Something went wrong',
    means: 'A fault of ours. Try again; if it stays, tell support the request id.',
  },
  overloaded: {
    status: 503,
    title: 'Too busy',
    means:
      'More is asked of the service than it can do at the moment. Nothing was done. Try again after as many seconds as Retry-After says.',
  },
  temporarily_unavailable: {
    status: 503,
    title: 'Temporarily unavailable',
    means:
      'The service cannot do this at the moment. Try again after as many seconds as Retry-After says. Whether the request was carried out is not certain.',
  },
}

/** What can be wrong with any request before an operation sees it. */
export function thresholdProblems({ method, parameters }: Pick<Documentation, 'method' | 'parameters'>): string[] {
  return [
    'malformed_url',
    'malformed_request',
    'wrong_fields',
    'internal_error',
    'overloaded',
    'temporarily_unavailable',
    // The body of a GET is not read at all.
    ...(method === 'GET' ? [] : ['malformed_body', 'malformed_json', 'body_too_large', 'unsupported_media_type']),
    // Names in the path that nothing can have, such as very long ones.
    ...(parameters === undefined ? [] : ['not_found']),
  ]
}
