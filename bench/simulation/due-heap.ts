/** Webhooks by when they are due. An entry that no longer says the truth is passed over when its turn comes. */
export type DueHeap = {
  add: (webhook: number, at: number) => void
  /** The next one that is due by now and stands, or -1. */
  take: (now: number, stands: (webhook: number, at: number) => boolean) => number
  /** When the next one that stands is due. */
  next: (stands: (webhook: number, at: number) => boolean) => number
}

export function createDueHeap(): DueHeap {
  const times: number[] = []
  const webhooks: number[] = []

  function put(place: number, at: number, webhook: number): void {
    times[place] = at
    webhooks[place] = webhook
  }

  function removeFirst(): void {
    const at = times.pop() ?? 0
    const webhook = webhooks.pop() ?? 0
    const size = times.length
    if (size === 0) return
    let place = 0
    for (;;) {
      let child = 2 * place + 1
      if (child >= size) break
      if (child + 1 < size && (times[child + 1] ?? 0) < (times[child] ?? 0)) child += 1
      if (at <= (times[child] ?? 0)) break
      put(place, times[child] ?? 0, webhooks[child] ?? 0)
      place = child
    }
    put(place, at, webhook)
  }

  return {
    add(webhook, at) {
      let place = times.length
      times.push(at)
      webhooks.push(webhook)
      while (place > 0) {
        const parent = (place - 1) >> 1
        if ((times[parent] ?? 0) <= at) break
        put(place, times[parent] ?? 0, webhooks[parent] ?? 0)
        place = parent
      }
      put(place, at, webhook)
    },
    take(now, stands) {
      while (times.length > 0 && (times[0] ?? 0) <= now) {
        const at = times[0] ?? 0
        const webhook = webhooks[0] ?? 0
        removeFirst()
        if (stands(webhook, at)) return webhook
      }
      return -1
    },
    next(stands) {
      while (times.length > 0 && !stands(webhooks[0] ?? 0, times[0] ?? 0)) removeFirst()
      return times[0] ?? Infinity
    },
  }
}
