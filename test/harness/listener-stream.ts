import assert from 'node:assert/strict'
import { PATIENCE_MS, soon } from './soon.ts'

/** What a `delivery` of a stream says. */
export type Handed = {
  deliveryId: string
  attempt: number
  eventId: string
  type: string
  createdAt: string
  handedOutBefore: boolean
  headers: Record<string, string>
  body: string
}

export type StreamEvent = { id: number | null; event: string; data: Record<string, unknown> }

/** A listener's stream as a test reads it. */
export type TestStream = {
  status: number
  headers: Headers
  events: StreamEvent[]
  handed: () => Handed[]
  /** Waits until so many deliveries came, and no more. */
  handedBecome: (count: number) => Promise<Handed[]>
  /** Waits until the stream is over; answers the last event. */
  ended: () => Promise<string | undefined>
  isOver: () => boolean
  close: () => void
}

export async function openTestStream(serviceUrl: string, token: string, name: string): Promise<TestStream> {
  const closing = new AbortController()
  const response = await fetch(`${serviceUrl}/api/v2/public/sandbox/listeners/${name}/stream`, {
    headers: { authorization: `Bearer ${token}`, accept: 'text/event-stream' },
    signal: closing.signal,
  })
  const events: StreamEvent[] = []
  let isOver = false
  const reading = read(response, events)
    .catch(() => {})
    .finally(() => {
      isOver = true
    })
  const handed = () =>
    events.flatMap(({ event, data }): Handed[] => (event === 'delivery' ? [JSON.parse(JSON.stringify(data))] : []))
  return {
    status: response.status,
    headers: response.headers,
    events,
    handed,
    handedBecome: async (count) => {
      await soon(async () => handed().length >= count, PATIENCE_MS)
      assert.equal(handed().length, count, JSON.stringify(events.map(({ event }) => event)))
      return handed()
    },
    ended: async () => {
      assert.ok(await soon(async () => isOver, PATIENCE_MS), 'the stream goes on')
      await reading
      return events.at(-1)?.event
    },
    isOver: () => isOver,
    close: () => closing.abort(),
  }
}

async function read(response: Response, events: StreamEvent[]): Promise<void> {
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true })
    const blocks = text.split('\n\n')
    text = blocks.pop() ?? ''
    events.push(...blocks.flatMap(eventIn))
  }
}

function eventIn(block: string): StreamEvent[] {
  const fields = new Map(block.split('\n').map((line) => [line.split(': ', 1)[0], line.slice(line.indexOf(': ') + 2)]))
  const event = fields.get('event')
  if (event === undefined) return []
  const id = fields.get('id')
  return [{ id: id === undefined ? null : Number(id), event, data: JSON.parse(fields.get('data') ?? '{}') }]
}
