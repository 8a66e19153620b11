import { EventEmitter, once } from 'node:events'
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
  /** Resolves when the next one has come, or when the time is over. */
  next: (withinMs: number) => Promise<void>
  empty: () => void
}

const MOST_KEPT = 200

export function createReceivedList(): ReceivedList {
  const kept: Received[] = []
  let count = 0
  const arrivals = new EventEmitter().setMaxListeners(0)
  return {
    add: (received) => {
      count += 1
      kept.unshift({ number: count, ...received })
      kept.splice(MOST_KEPT)
      arrivals.emit('arrival')
    },
    newestFirst: () => [...kept],
    next: async (withinMs) => {
      const signal = AbortSignal.timeout(Math.ceil(withinMs))
      await once(arrivals, 'arrival', { signal }).catch(() => {})
    },
    empty: () => void kept.splice(0),
  }
}
