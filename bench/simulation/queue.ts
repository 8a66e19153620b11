/** Deliveries that wait, are under way or are to be tried again: rows of numbers, used again when they are done with. */
export type Deliveries = {
  add: (webhook: number, now: number) => number
  remove: (delivery: number) => void
  webhook: (delivery: number) => number
  tries: (delivery: number) => number
  triedAgain: (delivery: number) => void
  /** Since when it could have been sent. */
  dueSince: (delivery: number) => number
  setDue: (delivery: number, at: number) => void
  /** For whoever keeps them in a line: who comes after this one, or -1. */
  after: (delivery: number) => number
  setAfter: (delivery: number, next: number) => void
  size: () => number
}

export function createDeliveries(): Deliveries {
  const webhooks: number[] = []
  const tries: number[] = []
  const due: number[] = []
  const next: number[] = []
  const free: number[] = []
  return {
    add(webhook, now) {
      const delivery = free.pop() ?? webhooks.length
      webhooks[delivery] = webhook
      tries[delivery] = 0
      due[delivery] = now
      next[delivery] = -1
      return delivery
    },
    remove: (delivery) => void free.push(delivery),
    webhook: (delivery) => webhooks[delivery] ?? 0,
    tries: (delivery) => tries[delivery] ?? 0,
    triedAgain(delivery) {
      tries[delivery] = (tries[delivery] ?? 0) + 1
    },
    dueSince: (delivery) => due[delivery] ?? 0,
    setDue(delivery, at) {
      due[delivery] = at
    },
    after: (delivery) => next[delivery] ?? -1,
    setAfter(delivery, following) {
      next[delivery] = following
    },
    size: () => webhooks.length - free.length,
  }
}
