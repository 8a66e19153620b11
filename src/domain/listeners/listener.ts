import { ALL_EVENTS, eventsOf } from '../webhooks/event-names.ts'
import type { Webhook, WebhookKind } from '../webhooks/webhook.ts'

/** Whose a listener is. It is always one of the sandbox, and always the application's own (decision record 82). */
export type ListenerPlace = { applicationId: string; name: string }

/** Made of webhooks like any other: one for each kind of event that it asked for, both with the same secrets. */
export type Listener = ListenerPlace & {
  createdAt: Date
  facilityWebhook: Webhook | null
  userWebhook: Webhook | null
}

/** Each may have a stream open, so this bounds an application's streams as well. */
export const MOST_LISTENERS = 20
/** Handed out and not answered; the next one waits for an answer. */
export const MOST_UNANSWERED = 10
/** Of what is told of an answer: where it was forwarded to, and how long that took. */
export const LONGEST_ADDRESS = 2_048
export const LONGEST_ANSWER_MS = 600_000

export const LISTENER_NAME = 'must be 1 to 63 of a–z, 0–9, ".", "_" and "-", and begin with a letter or a digit.'

export function isListenerName(text: string): boolean {
  return /^[a-z0-9][a-z0-9._-]{0,62}$/.test(text)
}

/** Where a listener is, which is also what its webhooks say of their URL. */
export function listenerUrl(baseUrl: string, name: string): string {
  return `${baseUrl}/api/v2/public/sandbox/listeners/${name}`
}

/** Of the events that were asked for, those of one kind; all when nothing was asked for. */
export function eventsFor(kind: WebhookKind, asked: readonly string[]): string[] {
  if (asked.length === 0 || asked.includes(ALL_EVENTS)) return [ALL_EVENTS]
  return asked.filter((event) => eventsOf(kind).includes(event))
}
