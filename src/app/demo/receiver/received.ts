import type { Signature } from './check-webhook.ts'

/** A request that came, as it came, and what became of it. */
export type Received = {
  /** Counts from 1. */
  number: number
  receivedAt: Date
  path: string
  headers: Record<string, string>
  body: string
  signature: Signature
  /** The status it was answered with. */
  answered: number
}

export type ReceivedList = {
  add: (received: Omit<Received, 'number'>) => void
  newestFirst: () => Received[]
  empty: () => void
}

const MOST_KEPT = 200

export function createReceivedList(): ReceivedList {
  const kept: Received[] = []
  let count = 0
  return {
    add: (received) => {
      count += 1
      kept.unshift({ number: count, ...received })
      kept.splice(MOST_KEPT)
    },
    newestFirst: () => [...kept],
    empty: () => void kept.splice(0),
  }
}
