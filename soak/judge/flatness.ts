import type { Held, Life } from '../processes.ts'

/**
 * Early is after some seconds of load, late is when it has ended, both with the garbage collected. What may come in between
 * without being a leak: code that is compiled when it is first needed, series of metrics, revocations that are kept until
 * the tokens have expired; and of descriptors the rest of the pool (10) and sockets that are kept for the next delivery.
 */
const MOST_HEAP_GROWTH = 16 * 1_048_576
/** It comes to its level within a minute of load, some 150 MB above what it is early, while the heap stays as it is. */
const MOST_RSS_GROWTH = 256 * 1_048_576
const MOST_MORE_DESCRIPTORS = 16

/** One line for each life that grew. */
export function growth(lives: readonly Life[]): string[] {
  return lives.flatMap(({ name, early, late }) =>
    early === null || late === null ? [] : grown(early, late).map((what) => `${name}: ${what}`),
  )
}

function grown(early: Held, late: Held): string[] {
  const heap = late.heapBytes - early.heapBytes
  const rss = late.rssBytes - early.rssBytes
  const descriptors = late.descriptors - early.descriptors
  return [
    ...(heap > MOST_HEAP_GROWTH ? [`heap grew by ${megabytes(heap)} MB`] : []),
    ...(rss > MOST_RSS_GROWTH ? [`resident memory grew by ${megabytes(rss)} MB`] : []),
    ...(descriptors > MOST_MORE_DESCRIPTORS ? [`${descriptors} more descriptors are open`] : []),
  ]
}

export function megabytes(bytes: number): string {
  return (bytes / 1_048_576).toFixed(1)
}
