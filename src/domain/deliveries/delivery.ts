/** A delivery as people see it (decision D8). */
export const DELIVERY_STATES = ['pending', 'held', 'delivered', 'failed', 'cancelled'] as const

export type DeliveryState = (typeof DELIVERY_STATES)[number]

/** States in which nothing more happens to a delivery by itself. */
export const FINISHED_STATES = ['delivered', 'failed', 'cancelled'] as const

/**
 * Why a delivery is held, failed or cancelled; others may come. What waits for a disabled webhook or a suspended application
 * is held by that alone, and so is what a listener has not fetched; `kept` is what somebody wanted kept when they enabled the
 * webhook (decision D7).
 */
export const REASONS = [
  'webhook_disabled',
  'application_suspended',
  'kept',
  'listening',
  'attempts_used_up',
  'expired',
  'webhook_deleted',
  'facility_removed',
  'access_lost',
  'event_unsubscribed',
  'consent_revoked',
] as const

export type Delivery = {
  id: string
  eventId: string
  eventType: string
  subject: { facilityId: string } | { userId: string }
  state: DeliveryState
  reason: string | null
  /** Attempts ever made, those by hand included. */
  attempts: number
  createdAt: Date
  /** Null while an attempt is under way, and when none is to come by itself. */
  nextAttemptAt: Date | null
  finishedAt: Date | null
}

export type DeliveryFilter = {
  state: DeliveryState | null
  type: string | null
  /** Of the facility or the person that the event is about. */
  subjectId: string | null
  eventId: string | null
  /** When it was made: from this moment on, and before that one. */
  from: Date | null
  to: Date | null
}
