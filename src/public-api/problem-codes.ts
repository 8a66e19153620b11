import type { ProblemMeaning } from '../http/problem-codes.ts'

/** What this door answers beside the threshold. */
export const PUBLIC_API_PROBLEMS: Record<string, ProblemMeaning> = {
  malformed_idempotency_key: {
    status: 400,
    title: 'Malformed Idempotency-Key',
    means: 'The Idempotency-Key is not 1 to 255 visible ASCII characters, or is there twice.',
  },
  environment_not_allowed: {
    status: 403,
    title: 'Environment not allowed',
    means: 'The application may not use the environment of the token any more. Ask support.',
  },
  sandbox_only: {
    status: 403,
    title: 'Only in sandbox',
    means: 'Events can be made up, and listeners kept, in sandbox only. Use a token with the audience of sandbox.',
  },
  application_only: {
    status: 403,
    title: 'Only for the application itself',
    means:
      'Listeners get what the application gets, which is not for one of its people. Use a token of the application itself.',
  },
  limit_reached: {
    status: 409,
    title: 'Limit reached',
    means:
      'The owner has as many webhooks of this kind, or listeners, as allowed. Delete one, or ask support for more webhooks.',
  },
  changed_meanwhile: {
    status: 409,
    title: 'Changed meanwhile',
    means: 'Something that the request names was removed while it ran. Repeat it.',
  },
  idempotency_key_reused: {
    status: 409,
    title: 'Idempotency-Key used before',
    means: 'The Idempotency-Key was used with another body. Use a new key for a new request.',
  },
  still_running: {
    status: 409,
    title: 'Still running',
    means: 'A request with the same Idempotency-Key is still running. Wait as long as Retry-After says, and repeat it.',
  },
  webhook_disabled: {
    status: 409,
    title: 'Webhook disabled',
    means: 'Nothing is sent to the webhook while it is disabled. Enable it first.',
  },
  in_flight: {
    status: 409,
    title: 'Being sent',
    means: 'An attempt of the delivery is under way. Wait for its result.',
  },
  not_wanted: {
    status: 409,
    title: 'Not wanted any more',
    means:
      'The webhook does not get this event any more: it does not subscribe to it, does not name the facility, or its owner lost access.',
  },
  not_waiting: {
    status: 409,
    title: 'Not waiting',
    means: 'The delivery does not wait for this answer: it was never handed out, or it is over without it.',
  },
  replay_running: {
    status: 409,
    title: 'Replay running',
    means: 'A replay of the webhook is running. Wait until it is done, or cancel it.',
  },
  replay_done: { status: 409, title: 'Replay done', means: 'The replay is done; there is nothing to cancel.' },
  version_changed: {
    status: 412,
    title: 'The webhook has changed',
    means: 'If-Match names another version than the present one. Read the webhook again and repeat.',
  },
}

/** Whatever the operation: who calls is asked first. */
export const DOOR_PROBLEMS: readonly string[] = [
  'unauthorized',
  'invalid_token',
  'insufficient_scope',
  'environment_not_allowed',
  'too_many_requests',
]

/** Of operations that take an Idempotency-Key. */
export const KEY_PROBLEMS: readonly string[] = ['malformed_idempotency_key', 'idempotency_key_reused', 'still_running']
