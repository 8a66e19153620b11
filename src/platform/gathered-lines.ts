/** How long a line may wait for others, and how much is written at once. */
const WAIT_MS = 50
const MOST_CHARACTERS = 16_384

/**
 * Log lines written together a few times a second: a system call for each line is a noticeable part of a token request.
 * What waits is written when the process ends, for whatever reason but a kill.
 */
export function gatheredLines(write: (text: string) => void): { write: (line: string) => void } {
  let waiting = ''
  let timer: NodeJS.Timeout | null = null

  function flush(): void {
    if (timer !== null) clearTimeout(timer)
    timer = null
    const text = waiting
    waiting = ''
    if (text !== '') write(text)
  }

  process.on('exit', flush)
  return {
    write: (line) => {
      waiting += line
      if (waiting.length >= MOST_CHARACTERS) flush()
      else timer ??= setTimeout(flush, WAIT_MS)
    },
  }
}
