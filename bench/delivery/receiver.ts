// A receiver that checks every signature, in a process of its own. Answers 200; tells its parent what it got.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'
import { answerMessages, listen } from '../servers/listen.ts'
import { SECRET } from './scene.ts'

const key = Buffer.from(SECRET.slice('whsec_'.length), 'base64')
let verified = 0
let refused = 0
let arrivals: Array<[id: string, at: number]> = []
let failing = false

const server = createServer((request, response) => {
  const at = performance.timeOrigin + performance.now()
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const id = String(request.headers['webhook-id'])
    const mac = createHmac('sha256', key)
      .update(`${id}.${String(request.headers['webhook-timestamp'])}.`)
      .update(Buffer.concat(chunks))
      .digest()
    const given = Buffer.from(String(request.headers['webhook-signature']).slice('v1,'.length), 'base64')
    if (given.length === mac.length && timingSafeEqual(given, mac)) verified += 1
    else refused += 1
    if (!failing) arrivals.push([id, at])
    response.writeHead(failing ? 500 : 200, { 'content-length': 0 })
    response.end()
  })
})

/** `count` only asks; `take` also forgets; `fail` and `heal` change the answer. */
answerMessages(await listen(server), async (message) => {
  const answer = { verified, refused, arrivals: message === 'take' ? arrivals : [] }
  if (message === 'take') {
    arrivals = []
    verified = 0
    refused = 0
  }
  if (message === 'fail' || message === 'heal') failing = message === 'fail'
  return answer
})
