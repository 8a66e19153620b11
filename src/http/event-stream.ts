/** An answer of server-sent events: written as they come, by whoever stands between us and the reader as well. */
export const EVENT_STREAM = 'text/event-stream'

export const EVENT_STREAM_HEADERS: Readonly<Record<string, string>> = {
  'content-type': `${EVENT_STREAM}; charset=utf-8`,
  'x-accel-buffering': 'no',
}

/** What a reader throws away; it only shows that the connection lives. */
export const HEARTBEAT = ': still here\n\n'

/** JSON has no line breaks, so the data is one line. */
export function eventText(event: string, data: object, id?: number): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
}
