/** What is to happen, in the order of a clock that jumps from one to the next. At the same moment, who was entered first comes first. */
export type Agenda = {
  now: () => number
  /** `what` and `whom` are numbers of whoever carries it out. Seconds. */
  enter: (at: number, what: number, whom: number) => void
  /** Until the moment, or until nothing is left. */
  run: (until: number, carryOut: (what: number, whom: number) => void) => void
}

export function createAgenda(): Agenda {
  let room = 1_024
  let times = new Float64Array(room)
  let orders = new Float64Array(room)
  let whats = new Int32Array(room)
  let whoms = new Int32Array(room)
  let size = 0
  let entered = 0
  let clock = 0

  function grow(): void {
    room *= 2
    times = widened(times, new Float64Array(room))
    orders = widened(orders, new Float64Array(room))
    whats = widened(whats, new Int32Array(room))
    whoms = widened(whoms, new Int32Array(room))
  }

  function isBefore(time: number, order: number, other: number): boolean {
    const theirs = times[other] ?? 0
    return time < theirs || (time === theirs && order < (orders[other] ?? 0))
  }

  function put(place: number, time: number, order: number, what: number, whom: number): void {
    times[place] = time
    orders[place] = order
    whats[place] = what
    whoms[place] = whom
  }

  function move(from: number, to: number): void {
    put(to, times[from] ?? 0, orders[from] ?? 0, whats[from] ?? 0, whoms[from] ?? 0)
  }

  /** The last one takes the first one's place and sinks to where it belongs. */
  function removeFirst(): void {
    size -= 1
    const time = times[size] ?? 0
    const order = orders[size] ?? 0
    const what = whats[size] ?? 0
    const whom = whoms[size] ?? 0
    let place = 0
    for (;;) {
      let child = 2 * place + 1
      if (child >= size) break
      if (child + 1 < size && isBefore(times[child + 1] ?? 0, orders[child + 1] ?? 0, child)) child += 1
      if (isBefore(time, order, child)) break
      move(child, place)
      place = child
    }
    put(place, time, order, what, whom)
  }

  return {
    now: () => clock,
    enter(at, what, whom) {
      if (size === room) grow()
      const time = Math.max(at, clock)
      let place = size
      size += 1
      entered += 1
      while (place > 0) {
        const parent = (place - 1) >> 1
        if (!isBefore(time, entered, parent)) break
        move(parent, place)
        place = parent
      }
      put(place, time, entered, what, whom)
    },
    run(until, carryOut) {
      while (size > 0 && (times[0] ?? 0) <= until) {
        clock = times[0] ?? 0
        const what = whats[0] ?? 0
        const whom = whoms[0] ?? 0
        removeFirst()
        carryOut(what, whom)
      }
      clock = until
    },
  }
}

function widened<Numbers extends Float64Array | Int32Array>(before: Numbers, wider: Numbers): Numbers {
  wider.set(before)
  return wider
}
