import { OperatorError } from '../../platform/operator-error.ts'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Work that takes long is given up at a signal, so that what it stands on is closed in order. The second one means now. */
export async function unlessInterrupted<Value>(work: Promise<Value>): Promise<Value> {
  const asked = Promise.withResolvers<never>()
  let signals = 0
  const onSignal = (): void => {
    signals += 1
    if (signals > 1) process.exit(130)
    asked.reject(new OperatorError('Interrupted.'))
  }
  for (const signal of SIGNALS) process.on(signal, onSignal)
  try {
    return await Promise.race([work, asked.promise])
  } finally {
    for (const signal of SIGNALS) process.off(signal, onSignal)
  }
}
