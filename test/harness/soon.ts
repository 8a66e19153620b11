import { setTimeout as sleep } from 'node:timers/promises'

/** Waits until it is so, at most a second: what one process did, every other knows by then. Answers whether it came to be. */
export async function soon(isSo: () => Promise<boolean>, withinMs = 1_000): Promise<boolean> {
  const deadline = performance.now() + withinMs
  for (;;) {
    const asked = performance.now()
    if (await isSo()) return asked <= deadline
    if (performance.now() > deadline) return false
    await sleep(20)
  }
}
