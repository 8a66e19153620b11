import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Door } from '../../../http/door.ts'
import { sendPage } from '../../../http/page.ts'
import { servePublicFiles } from '../../../http/public-files.ts'
import { errorPage } from '../../../ui/error-page.ts'
import { askedAnswer } from './asked-answer.ts'
import { askedFor } from './asked-for.ts'
import type { Arrival, Signature } from './check-webhook.ts'
import type { ReceivedList } from './received.ts'
import { receiverPage } from './receiver-page.ts'

export type ReceiverParts = {
  url: string
  list: ReceivedList
  checkedBy: string
  publicFolder: string
  check: (arrival: Arrival) => Promise<Signature>
}

const NO_BODY: ReadonlySet<number> = new Set([204, 205, 304])

/** Takes a POST on any path; shows what came as a page and as JSON. */
export function receiverDoor({ url, list, checkedBy, publicFolder, check }: ReceiverParts): Door {
  async function receive(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const receivedAt = new Date()
    const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
    const arrival = { path: request.url, headers: headersOf(request), body }
    const { status, waitSeconds } = askedAnswer(request.url)
    const signature = await check(arrival)
    list.add({ ...arrival, receivedAt, body: body.toString(), signature, answered: status })
    // Nobody has to wait for this one to end the process.
    if (waitSeconds > 0) await sleep(waitSeconds * 1_000, undefined, { ref: false })
    return NO_BODY.has(status) ? reply.code(status).send() : reply.code(status).send({ received: true })
  }

  return {
    name: 'receiver',
    prefix: '',
    routes: (app) => {
      app.removeAllContentTypeParsers()
      app.addContentTypeParser('*', { parseAs: 'buffer' }, (_, body, done) => done(null, body))
      servePublicFiles(app, publicFolder)
      app.get('/', (_, reply) => sendPage(reply, 200, receiverPage({ url, checkedBy, received: list.newestFirst() })))
      app.get('/received', (request) => askedFor(list, request.url).then((data) => ({ data })))
      app.delete('/received', (_, reply) => {
        list.empty()
        return reply.code(204).send()
      })
      for (const path of ['/', '/received', '/*']) app.post(path, (request, reply) => receive(request, reply))
    },
    answer: (problem, request, reply) =>
      sendPage(reply.headers(problem.headers), problem.status, errorPage(problem, request.id)),
  }
}

/** As they came; one that came several times has its values behind each other. */
function headersOf({ raw }: FastifyRequest): Record<string, string> {
  return Object.fromEntries(
    Object.entries(raw.headersDistinct).map(([name, values]) => [name, (values ?? []).join(', ')]),
  )
}
