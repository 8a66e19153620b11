import type { Received, ReceivedList } from './received.ts'

const LONGEST_WAIT_SECONDS = 30

/**
 * `?webhook=whk_…` asks for what a secret of that webhook has signed, and `?wait=5` waits so many seconds for the first of
 * them: whoever made an event a moment ago need not guess when it is there.
 */
export async function askedFor(list: ReceivedList, path: string): Promise<Received[]> {
  const { searchParams } = new URL(path, 'http://localhost')
  const webhookId = searchParams.get('webhook')
  const wait = Number(searchParams.get('wait'))
  const until = performance.now() + (wait > 0 ? Math.min(wait, LONGEST_WAIT_SECONDS) : 0) * 1_000
  for (;;) {
    const found = list
      .newestFirst()
      .filter(({ signature }) => webhookId === null || (signature.valid && signature.webhookId === webhookId))
    const left = until - performance.now()
    if (found.length > 0 || left <= 0) return found
    await list.next(left)
  }
}
