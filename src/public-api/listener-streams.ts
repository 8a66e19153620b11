import { Readable } from 'node:stream'
import { MOST_UNANSWERED } from '../domain/listeners/listener.ts'
import {
  type HandedOut,
  handOut,
  type ListenerStream,
  type Look,
  lookForStreams,
  type WaitingAttempt,
} from '../domain/listeners/listener-feed-store.ts'
import type { Waiting } from '../domain/listeners/listener-store.ts'
import type { Audiences } from '../domain/tokens/audience.ts'
import { eventText, HEARTBEAT } from '../http/event-stream.ts'
import type { Bell } from '../platform/bell.ts'
import type { Cipher } from '../platform/cipher.ts'
import type { Db } from '../platform/db.ts'

/** The streams of this process, and the one loop that looks for all of them (decision record 82). */
export type ListenerStreams = {
  open: (stream: ListenerStream, opening: Opening) => Readable
  /** Ends every stream at once, so that a stop does not wait for them. */
  stop: () => Promise<void>
}

type Opening = { waiting: Waiting; tokenExpiresAt: Date; stillMay: () => Promise<boolean> }

export type StreamParts = {
  db: Db
  cipher: Cipher
  audiences: Audiences
  bell: Bell
  failed: (error: unknown) => void
}

/** Rings can get lost, so it looks by itself as well; and what ends a stream is noticed within this time. */
const LOOK_EVERY_MS = 500
/** Rings that come closer together than this are one look. */
const SHORTEST_PAUSE_MS = 20
/** One statement looks for so many. */
const LOOKED_AT_ONCE = 200
/** Of the streams that get something, so many at a time: the pool is for others, too. */
const HANDED_AT_ONCE = 4
const HEARTBEAT_MS = 10_000
/** Heartbeats that nobody took: whoever reads is gone, or stands still, and gets it all again when they come back. */
const MOST_UNTAKEN = 3

type Open = ListenerStream & {
  readable: Readable
  stillMay: () => Promise<boolean>
  /** Handed to this very connection and still waiting for an answer. */
  out: Set<string>
  untaken: number
}

export function startListenerStreams({ db, cipher, audiences, bell, failed }: StreamParts): ListenerStreams {
  const streams = new Set<Open>()
  let alarm = Promise.withResolvers<void>()
  let running: Promise<void> | null = null
  let isStopping = false
  let hears = false
  const wake = () => alarm.resolve()

  function end(stream: Open, event: string): void {
    if (!streams.delete(stream)) return
    stream.readable.push(eventText(event, {}))
    stream.readable.push(null)
  }

  function beat(): void {
    for (const stream of streams) {
      stream.untaken = stream.readable.readableLength > 0 ? stream.untaken + 1 : 0
      if (stream.untaken >= MOST_UNTAKEN) stream.readable.destroy()
      else if (stream.untaken === 0) stream.readable.push(HEARTBEAT)
    }
  }

  async function give(stream: Open, waiting: readonly WaitingAttempt[]): Promise<void> {
    const still = new Set(waiting.map(keyOf))
    stream.out = stream.out.intersection(still)
    const room = MOST_UNANSWERED - stream.out.size
    const next = waiting.filter((each) => !stream.out.has(keyOf(each))).slice(0, room)
    if (next.length === 0) return
    const ids = next.map(({ id }) => id)
    const handed = await handOut(db, cipher, audiences, stream, ids)
    if (handed === null) return end(stream, 'replaced')
    for (const each of handed) {
      stream.out.add(keyOf({ id: each.deliveryId, attempt: each.attempt }))
      if (streams.has(stream)) stream.readable.push(eventText('delivery', messageOf(each), each.position))
    }
  }

  /** Without a look nothing is known of what waits; but a token that ended is no less ended. */
  async function tend(stream: Open, look: Look | undefined): Promise<void> {
    if (!(await stream.stillMay())) return end(stream, 'expired')
    if (look === undefined) return
    if (look.outcome !== 'current') return end(stream, look.outcome)
    await give(stream, look.waiting)
  }

  async function lookFor(some: readonly Open[]): Promise<void> {
    const looks = await lookForStreams(db, some).catch((error: unknown) => {
      failed(error)
      return []
    })
    for (let place = 0; place < some.length; place += HANDED_AT_ONCE) {
      const few = some.slice(place, place + HANDED_AT_ONCE)
      await Promise.all(few.map((stream, position) => tend(stream, looks[place + position]).catch(failed)))
    }
  }

  /** Goes on for as long as there is a stream: without one nothing is asked. */
  async function run(): Promise<void> {
    const beating = setInterval(beat, HEARTBEAT_MS)
    while (streams.size > 0) {
      alarm = Promise.withResolvers()
      const all = [...streams]
      for (let place = 0; place < all.length; place += LOOKED_AT_ONCE)
        await lookFor(all.slice(place, place + LOOKED_AT_ONCE))
      const timer = setTimeout(wake, LOOK_EVERY_MS)
      await Promise.all([alarm.promise, new Promise((done) => setTimeout(done, SHORTEST_PAUSE_MS))])
      clearTimeout(timer)
    }
    clearInterval(beating)
    running = null
  }

  return {
    open(stream, { waiting, tokenExpiresAt, stillMay }) {
      const readable = new Readable({ read() {} })
      const opened: Open = { ...stream, readable, stillMay, out: new Set(), untaken: 0 }
      const { count, handedOut } = waiting
      // Told as a span of time: the reader's clock may be another one.
      const tokenExpiresIn = Math.round((tokenExpiresAt.getTime() - Date.now()) / 1_000)
      readable.push(eventText('waiting', { stream: stream.stream, count, handedOut, tokenExpiresIn }))
      readable.on('close', () => void (streams.delete(opened) && wake()))
      streams.add(opened)
      if (isStopping) {
        end(opened, 'stopping')
        return readable
      }
      if (!hears) bell.listen(wake)
      hears = true
      running ??= run()
      // Whoever has an older stream of this listener, here or elsewhere, hears that it is one.
      bell.ring()
      return readable
    },
    async stop() {
      isStopping = true
      for (const stream of streams) end(stream, 'stopping')
      wake()
      await running
    },
  }
}

function keyOf({ id, attempt }: WaitingAttempt): string {
  return `${id} ${attempt}`
}

function messageOf({ deliveryId, attempt, eventId, eventType, createdAt, again, headers, body }: HandedOut): object {
  return { deliveryId, attempt, eventId, type: eventType, createdAt, handedOutBefore: again, headers, body }
}
