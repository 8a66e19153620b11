export class OutOfTime extends Error {
  override name = 'OutOfTime'
}

/**
 * Waits for a promise, but never longer than we said. With several hosts in DATABASE_URL and all of them down,
 * postgres.js waits for ever; a start-up or a readiness probe must not.
 */
export async function within<Value>(milliseconds: number, what: string, work: Promise<Value>): Promise<Value> {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new OutOfTime(`${what} took longer than ${milliseconds} ms`)), milliseconds)
  })
  try {
    return await Promise.race([work, limit])
  } finally {
    clearTimeout(timer)
  }
}
