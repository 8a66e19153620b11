import { parsedJson } from '../json-value.ts'

/** One of a stream of server-sent events; `data` is parsed. */
export type StreamEvent = { event: string; data: unknown }

/** More than the largest event can be; whatever sends more is not our service. */
const LONGEST_BLOCK = 8 * 1_024 * 1_024

/** Takes the stream's text as it comes, in any pieces, and hands on each event that is whole; comments are none. */
export function eventReader(take: (event: StreamEvent) => void): (piece: string) => void {
  let rest = ''
  return (piece) => {
    const blocks = (rest + piece).split('\n\n')
    rest = blocks.pop() ?? ''
    if (rest.length > LONGEST_BLOCK) throw new Error('An event without an end')
    for (const block of blocks) {
      const event = eventIn(block)
      if (event !== null) take(event)
    }
  }
}

function eventIn(block: string): StreamEvent | null {
  const fields = new Map<string, string>()
  for (const line of block.split('\n')) {
    const colon = line.indexOf(':')
    if (colon > 0) fields.set(line.slice(0, colon), line.slice(colon + 1).replace(/^ /, ''))
  }
  const event = fields.get('event')
  return event === undefined ? null : { event, data: parsedJson(fields.get('data') ?? '') }
}
