import { setTimeout as sleep } from 'node:timers/promises'
import type { Child } from '../child-process.ts'

/** Every signature was right, or it was no delivery. */
export async function untilReceived(receiver: Child, count: number, by: 'all' | 'the quick' = 'all'): Promise<void> {
  for (let waited = 0; waited < 60_000; waited += 20) {
    const { verified, refused, verifiedOfSlow } = told(await receiver.ask('count'))
    if (refused > 0) throw new Error(`${refused} signatures were wrong`)
    if (verified - (by === 'all' ? 0 : verifiedOfSlow) >= count) return
    await sleep(20)
  }
  throw new Error('Not everything arrived within a minute')
}

/** When each event arrived; the receiver forgets them. */
export async function taken(receiver: Child): Promise<Array<[string, number]>> {
  return told(await receiver.ask('take')).arrivals
}

type Told = { verified: number; refused: number; verifiedOfSlow: number; arrivals: Array<[string, number]> }

function told(answer: unknown): Told {
  const reply = replyOf(answer)
  if (!isTold(reply)) throw new Error('The receiver answered something else')
  return reply
}

function isTold(reply: unknown): reply is Told {
  return typeof reply === 'object' && reply !== null && 'verified' in reply
}

export function replyOf(answer: unknown): unknown {
  return typeof answer === 'object' && answer !== null && 'reply' in answer ? answer.reply : null
}
