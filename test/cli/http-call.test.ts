import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { after, test } from 'node:test'
import { callApi } from '../../src/cli/call-api.ts'
import type { Connection } from '../../src/cli/connection.ts'
import { tokenBySecret } from '../../src/cli/fetch-token.ts'
import { callService, Unreachable } from '../../src/cli/http-call.ts'

const stops: Array<() => void> = []
after(() => stops.forEach((stop) => stop()))

async function service(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  stops.push(() => {
    server.close()
    server.closeAllConnections()
  })
  const address = server.address()
  assert.ok(typeof address === 'object' && address !== null)
  return `http://127.0.0.1:${address.port}`
}

function connectionTo(baseUrl: string, tokens: string[]): Connection & { refused: Array<string | undefined> } {
  const refused: Array<string | undefined> = []
  const accessToken = async (before?: string) => {
    refused.push(before)
    return tokens[refused.length - 1] ?? 'none'
  }
  return { baseUrl, clientId: 'app_1', environment: 'sandbox', accessToken, refused }
}

test('told to come back later, it does, and no sooner', async () => {
  const asked: number[] = []
  const url = await service((_, response) => {
    asked.push(performance.now())
    if (asked.length < 3) response.writeHead(429, { 'retry-after': '0' }).end('{}')
    else response.writeHead(200).end('{"data":1}')
  })
  assert.deepEqual((await callService(url, { method: 'GET', path: '/' })).json, { data: 1 })
  assert.equal(asked.length, 3)
})

test('told to come back in an hour, it says so instead', async () => {
  const problem = { detail: 'Slow down.', code: 'too_many_requests', requestId: 'req_1' }
  const url = await service((_, response) =>
    response.writeHead(429, { 'retry-after': '3600' }).end(JSON.stringify(problem)),
  )
  const connection = connectionTo(url, ['one'])
  const said = 'Slow down. Try again in 3600 s. (429 too_many_requests, request req_1)'
  await assert.rejects(callApi(connection, { method: 'GET', path: '/' }), { message: said })
})

test('a token that is refused is replaced once; the second refusal is the answer', async () => {
  const seen: Array<string | undefined> = []
  const url = await service((request, response) => {
    seen.push(request.headers.authorization)
    const isGood = request.headers.authorization === 'Bearer two'
    response.writeHead(isGood ? 200 : 401).end(isGood ? '{"data":{}}' : '{"detail":"No.","code":"invalid_token"}')
  })
  const mended = connectionTo(url, ['one', 'two'])
  assert.deepEqual(await callApi(mended, { method: 'GET', path: '/' }), { data: {} })
  assert.deepEqual(mended.refused, [undefined, 'one'])
  await assert.rejects(callApi(connectionTo(url, ['one', 'three']), { method: 'GET', path: '/' }), /No\./)
  assert.deepEqual(seen, ['Bearer one', 'Bearer two', 'Bearer one', 'Bearer three'])
})

test('nothing is sent on to where an answer points', async () => {
  let isAsked = false
  const elsewhere = await service((_, response) => {
    isAsked = true
    response.end()
  })
  const url = await service((_, response) => response.writeHead(307, { location: elsewhere }).end())
  await assert.rejects(callApi(connectionTo(url, ['one']), { method: 'POST', path: '/', body: {} }), /answered 307/)
  assert.equal(isAsked, false)
})

test('a connection that breaks off is said to be one', async () => {
  const url = await service((request) => request.socket.destroy())
  await assert.rejects(callService(url, { method: 'GET', path: '/' }), (error) => {
    assert.ok(error instanceof Unreachable)
    assert.ok(error.message.startsWith(`${url} broke the connection off`), error.message)
    return true
  })
})

test('a client secret is sent to https or to this computer, wherever a service says that tokens are issued', async () => {
  const data = { tokenEndpoint: 'http://192.0.2.1/oidc/oauth/token', audiences: { sandbox: 'urn:x' } }
  const url = await service((_, response) => void response.end(JSON.stringify({ data })))
  const client = { baseUrl: url, clientId: 'app_1', clientSecret: 's' }
  await assert.rejects(tokenBySecret(client, 'sandbox'), /issues tokens at http:\/\/192\.0\.2\.1.*in the clear/)
})
