import { createHmac } from 'node:crypto'
import { Agent, request } from 'undici'

/** As many at once as a webhook may have in the scene. */
export const AT_ONCE = 100

/** All webhooks of the scene are at one origin. As many as ours opens to one, so that no pipeline waits for a connection of the slow one. */
const CONNECTIONS = 500
const dispatcher = new Agent({ connections: CONNECTIONS, pipelining: 1 })

/** One POST with a Standard Webhooks signature, by undici: the least that anybody's pipeline does to deliver. Answers the status. */
export async function signedPost(url: string, id: string, body: string, key: Buffer): Promise<number> {
  const timestamp = String(Math.floor(Date.now() / 1_000))
  const mac = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${mac}`,
  }
  const answer = await request(url, { method: 'POST', headers, body, dispatcher })
  await answer.body.dump()
  return answer.statusCode
}

export function keyOf(secret: string): Buffer {
  return Buffer.from(secret.slice('whsec_'.length), 'base64')
}
