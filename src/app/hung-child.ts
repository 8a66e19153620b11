import type { Worker as Child } from 'node:cluster'
import { ALIVE, ALIVE_EVERY_MS } from './child.ts'

/** Nothing of ours keeps a process busy for so long. */
const MOST_MISSED = 10

/**
 * Kills a process that is ready and yet says nothing any more: it would keep every connection that is dealt to it, and its death
 * is what brings another. Missed beats are counted and not the time, so that a machine that was asleep kills nobody.
 */
export function killWhenHung(child: Child, hung: () => void): void {
  let missed = 0
  child.on('message', (message) => {
    if (message === ALIVE) missed = 0
  })
  const watch = setInterval(() => {
    missed += 1
    if (missed <= MOST_MISSED) return
    clearInterval(watch)
    hung()
    child.process.kill('SIGKILL')
  }, ALIVE_EVERY_MS)
  child.once('exit', () => clearInterval(watch))
}
