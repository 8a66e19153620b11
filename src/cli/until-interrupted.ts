/** Ctrl-C, a kill, a terminal that goes away, or nobody who reads on (`| head`). The second signal means now. */
export function interruption(): { signal: AbortSignal; end: () => void } {
  const asked = new AbortController()
  const onSignal = (): void => {
    if (asked.signal.aborted) process.exit(130)
    asked.abort()
  }
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  for (const signal of signals) process.on(signal, onSignal)
  const onUnread = (): void => asked.abort()
  process.stdout.on('error', onUnread)
  return {
    signal: asked.signal,
    end: () => {
      for (const signal of signals) process.off(signal, onSignal)
      process.stdout.off('error', onUnread)
    },
  }
}
