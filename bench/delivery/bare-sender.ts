// The bare limit of a delivery: undici posts signed bodies to the receiver, and nothing is stored.
import { randomUUID } from 'node:crypto'
import { answerMessages } from '../servers/listen.ts'
import { SECRET } from './scene.ts'
import { AT_ONCE, keyOf, signedPost } from './signed-post.ts'

const key = keyOf(SECRET)

async function post(url: string): Promise<void> {
  const id = `evt_${randomUUID()}`
  const data = { shiftId: id, startsAt: '2026-11-20T06:00:00Z', note: 'x'.repeat(200) }
  const body = JSON.stringify({ id, type: 'shift.created', environment: 'sandbox', apiVersion: 'v2', data })
  await signedPost(url, id, body, key)
}

async function send({ port, count }: { port: number; count: number }): Promise<number> {
  const started = performance.now()
  let left = count
  const sendOn = async () => {
    while (left > 0) {
      left -= 1
      await post(`http://127.0.0.1:${port}/bare`)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, sendOn))
  return (performance.now() - started) / 1_000
}

function isOrder(message: unknown): message is { port: number; count: number } {
  return typeof message === 'object' && message !== null && 'port' in message && 'count' in message
}

answerMessages(0, async (message) => (isOrder(message) ? send(message) : null))
