// A receiver that checks every signature, in a process of its own. Answers 200; tells its parent what it got.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'
import { answerMessages, listen } from '../servers/listen.ts'
import { SECRET } from './scene.ts'
import { keyOf } from './signed-post.ts'

/** One webhook of 200 at fan-out 1. */
const SLOW_PATH = '/1/0'
const SLOW_MS = 1_000

const key = keyOf(SECRET)
let verified = 0
let refused = 0
let verifiedOfSlow = 0
let arrivals: Array<[id: string, at: number]> = []
let failing = false
let slow = false

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
    const isSlow = request.url === SLOW_PATH
    if (given.length === mac.length && timingSafeEqual(given, mac)) {
      verified += 1
      if (isSlow) verifiedOfSlow += 1
    } else refused += 1
    if (!failing) arrivals.push([id, at])
    const answer = () => response.writeHead(failing ? 500 : 200, { 'content-length': 0 }).end()
    if (slow && isSlow) setTimeout(answer, SLOW_MS)
    else answer()
  })
})

/** `count` only asks; `take` also forgets; `fail` and `heal` change the answer, `slow` and `quick` when one webhook gets it. */
answerMessages(await listen(server), async (message) => {
  const answer = { verified, refused, verifiedOfSlow, arrivals: message === 'take' ? arrivals : [] }
  if (message === 'take') {
    arrivals = []
    verified = 0
    refused = 0
    verifiedOfSlow = 0
  }
  if (message === 'fail' || message === 'heal') failing = message === 'fail'
  if (message === 'slow' || message === 'quick') slow = message === 'slow'
  return answer
})
