import type { IncomingMessage } from 'node:http'
import { createServer } from 'node:https'
import { buffer } from 'node:stream/consumers'
import { Webhook } from 'standardwebhooks'
import { startReceiver } from '../test/harness/receiver.ts'
import { selfSigned } from '../test/harness/self-signed.ts'

/** Where webhooks arrive: a path for each subscriber, whose secret is known. */
export type SoakReceiver = {
  port: number
  /** Whom to trust, to call it. */
  certificate: string
  urlOf: (subscriber: string) => string
  expect: (subscriber: string, secret: string) => void
  close: () => Promise<void>
}

export type Arrival = { subscriber: string; eventId: string; isVerified: boolean }

const NAME = 'partner.example'

/** One first try in so many is answered 503, so that retries are under way whenever something happens. */
const FAILS_ONE_IN = 25

export async function startSoakReceiver(arrived: (arrival: Arrival) => void): Promise<SoakReceiver> {
  const secrets = new Map<string, string>()
  const failed = new Set<string>()
  const take = async (request: IncomingMessage): Promise<number> => {
    const subscriber = (request.url ?? '').slice(1)
    const named = (name: string) => String(request.headers[name])
    const eventId = named('webhook-id')
    const secret = secrets.get(subscriber)
    const body = await buffer(request)
    const signature = secret === undefined ? null : signatureOf(secret, eventId, named('webhook-timestamp'), body)
    const isVerified = signature !== null && named('webhook-signature').split(' ').includes(signature)
    const key = `${subscriber} ${eventId}`
    if (isVerified && Math.random() * FAILS_ONE_IN < 1 && !failed.has(key)) {
      failed.add(key)
      return 503
    }
    arrived({ subscriber, eventId, isVerified })
    return isVerified ? 204 : 400
  }
  const certificate = selfSigned(NAME)
  const server = createServer(certificate, (request, response) => {
    take(request).then(
      (status) => response.writeHead(status).end(),
      () => response.destroy(),
    )
  })
  const { port, close } = await startReceiver(server, '127.0.0.1')
  return {
    port,
    certificate: certificate.cert,
    urlOf: (subscriber) => `https://${NAME}/${subscriber}`,
    expect: (subscriber, secret) => void secrets.set(subscriber, secret),
    close,
  }
}

/** By the reference library, but not by its clock: when it was signed is PostgreSQL's to say, and its clock may be the fault. */
function signatureOf(secret: string, id: string, timestamp: string, body: Buffer): string {
  return new Webhook(secret).sign(id, new Date(Number(timestamp) * 1_000), body)
}
