import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import { request } from 'node:https'
import { after, before, describe, test } from 'node:test'
import { type ConnectionOptions, connect } from 'node:tls'
import { listening } from '../harness/listening.ts'
import { nginxMissing, type Proxy, startNginx } from '../harness/nginx.ts'
import { quietPort } from '../harness/quiet-port.ts'
import { callSecurely } from '../harness/secure-call.ts'
import { selfSigned } from '../harness/self-signed.ts'
import { soon } from '../harness/soon.ts'

// deploy/nginx/handover.conf in a real nginx, before two that stand in for Handover. topology.alone.test.ts has the real ones.

describe('our configuration of nginx', { skip: nginxMissing }, () => {
  const certificate = selfSigned('localhost')
  let isAway = false
  const behind = [1, 2].map(() =>
    createServer((incoming, outgoing) => {
      if (isAway) return void outgoing.writeHead(503).end('{"status":"not ready"}')
      if (incoming.url !== '/stream') return void incoming.resume().on('end', () => outgoing.end('here'))
      outgoing.writeHead(200, { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' }).write(': hello\n\n')
    }),
  )
  let proxy: Proxy
  let url = ''
  let plainUrl = ''
  before(async () => {
    const httpsPort = await quietPort()
    const upstreams = await Promise.all(behind.map((server: Server) => listening(server)))
    const httpPort = await quietPort()
    proxy = await startNginx({ upstreams, httpPort, httpsPort, certificate })
    url = `https://localhost:${httpsPort}`
    plainUrl = `http://127.0.0.1:${httpPort}`
  })
  after(async () => {
    await proxy?.stop()
    for (const server of behind) {
      server.closeAllConnections()
      server.close()
    }
  })
  const ask = async (path: string, body?: string) =>
    (await callSecurely(url + path, certificate.cert, body === undefined ? {} : { method: 'POST', body })).status

  test('without https: pages lead there, and programs that send secrets are refused', async () => {
    const plain = async (path: string) => {
      const answer = await fetch(plainUrl + path, { method: 'POST', redirect: 'manual', body: 'x' })
      return [answer.status, answer.headers.get('location')]
    }
    assert.deepEqual(await plain('/portal?x=1'), [308, 'https://127.0.0.1/portal?x=1'])
    assert.deepEqual(await plain('/oidc/login'), [308, 'https://127.0.0.1/oidc/login'])
    for (const path of ['/api/v2/public/webhooks', '/platform/v1/events', '/oidc/oauth/token', '/oidc/userinfo'])
      assert.deepEqual(await plain(path), [403, null], path)
  })

  test('TLS 1.2 and 1.3, the newer one first, and no cipher that is weak', async () => {
    const { port } = new URL(url)
    const tried = (options: ConnectionOptions) =>
      new Promise<string>((resolve) => {
        const settings = { port: Number(port), host: '127.0.0.1', servername: 'localhost', ca: certificate.cert }
        const socket = connect({ ...settings, ...options }, () => {
          resolve(socket.getProtocol() ?? '')
          socket.destroy()
        }).on('error', () => resolve('refused'))
      })
    assert.equal(await tried({}), 'TLSv1.3')
    assert.equal(await tried({ maxVersion: 'TLSv1.2' }), 'TLSv1.2')
    const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' } as const
    assert.equal(await tried(old), 'refused')
    for (const ciphers of ['ECDHE-ECDSA-AES128-SHA', 'ECDHE-ECDSA-AES256-SHA384', 'AES128-GCM-SHA256'])
      assert.equal(await tried({ maxVersion: 'TLSv1.2', ciphers }), 'refused', ciphers)
  })

  test('a stream of events comes as it is written, not when it ends', async () => {
    const first = await new Promise<string>((resolve, reject) => {
      const asking = request(`${url}/stream`, { ca: certificate.cert, agent: false, family: 4 }, (answer) => {
        answer.once('data', (chunk: Buffer) => {
          resolve(chunk.toString())
          asking.destroy()
        })
        answer.on('error', () => {})
      })
      asking.on('error', reject).end()
    })
    assert.equal(first, ': hello\n\n')
  })

  test('what the platform API takes passes, with room for Handover to refuse more in its own words', async () => {
    assert.equal(await ask('/platform/v1/events', 'x'.repeat(8 * 1_024 * 1_024 + 1)), 200)
    assert.equal(await ask('/platform/v1/events', 'x'.repeat(9 * 1_024 * 1_024 + 1)), 413)
  })

  test('all said 503, because the database was away: when it is back, they are asked again soon', async () => {
    isAway = true
    const said = [await ask('/readyz'), await ask('/readyz'), await ask('/readyz')]
    assert.ok(
      said.every((status) => status > 500),
      said.join(),
    )
    isAway = false
    // By its own rule nginx asks nobody for ten seconds.
    assert.ok(await soon(async () => (await ask('/oidc')) === 200, 4_000))
  })
})
