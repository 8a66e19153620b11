import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { test } from 'node:test'
import { startHandover } from '../harness/handover.ts'

test('spans go to the collector that HANDOVER_OTLP_URL names, without the query of the request', async () => {
  const bodies: string[] = []
  const collector = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString()
    })
    request.on('end', () => {
      bodies.push(`${request.url} ${body}`)
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    })
  }).listen(0, '127.0.0.1')
  await new Promise((listening) => collector.once('listening', listening))
  const address = collector.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  try {
    const service = await startHandover({ HANDOVER_OTLP_URL: `http://127.0.0.1:${port}/v1/traces` })
    await fetch(`${service.url}/healthz?code=hunter2`, { headers: { 'x-request-id': 'find-me' } })
    await service.stop()
  } finally {
    collector.close()
  }
  assert.equal(bodies.length, 1)
  assert.match(bodies[0] ?? '', /^\/v1\/traces .*"GET \/healthz".*find-me/)
  assert.doesNotMatch(bodies[0] ?? '', /hunter2/)
})
