import { Type } from 'typebox'
import type { Listener, ListenerPlace } from '../domain/listeners/listener.ts'
import type { Documentation, Parameter } from '../http/operation.ts'
import { Problem } from '../http/problem.ts'
import type { ApiCall } from './api-call.ts'
import { ListenerAnswer } from './listener-schemas.ts'
import { sandboxOnly } from './sandbox-only.ts'
import { webhookJson } from './webhook-answer.ts'
import { exampleOf } from './webhook-docs.ts'

/** What the operations on listeners ask and say, as far as it is the same. */

export const LISTENERS = '/sandbox/listeners'

export const LISTENER_PARAMETER: Record<string, Parameter> = {
  name: {
    description: 'The listener’s name, such as that of your computer.',
    schema: Type.String({ examples: ['laptop'] }),
  },
}

/** Whoever may not have listeners is told before it is looked whether there is one. */
export const LISTENER_PROBLEMS = ['sandbox_only', 'application_only', 'not_found'] as const

/** What an application gets is more than one of its people may see (decision C4). */
export function listenerPlace({ caller, parameters }: ApiCall): ListenerPlace {
  if (caller.environment !== 'sandbox') throw sandboxOnly('There are listeners')
  if (caller.userId !== null)
    throw new Problem(
      403,
      'application_only',
      'Only for the application itself',
      'Listeners are the application’s own. Use a token of the application itself, not one of a person.',
    )
  return { applicationId: caller.application.id, name: parameters['name'] ?? '' }
}

export function noListener(): Problem {
  return new Problem(404, 'not_found', 'Not found', 'This application has no listener of this name.')
}

export function listenerJson(listener: Listener, waiting: number): Record<string, unknown> {
  const { name, createdAt, facilityWebhook, userWebhook } = listener
  return {
    name,
    secrets: (facilityWebhook ?? userWebhook)?.secrets ?? [],
    waiting,
    facilityWebhook: facilityWebhook && webhookJson(facilityWebhook),
    userWebhook: userWebhook && webhookJson(userWebhook),
    createdAt: createdAt.toISOString(),
  }
}

const url = 'https://api.example.com/api/v2/public/sandbox/listeners/laptop'
const EXAMPLE = {
  name: 'laptop',
  secrets: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw5Rn9zPqfG9k='],
  waiting: 0,
  facilityWebhook: { ...exampleOf('facility'), url, events: ['all'] },
  userWebhook: null,
  createdAt: '2026-11-15T08:00:00.000Z',
}

export function listenerAnswer(description: string): Documentation['answers'][number] {
  return { description, schema: ListenerAnswer, example: { data: EXAMPLE } }
}
