import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { TLSSocket } from 'node:tls'
import { listening } from '../harness/listening.ts'
import { runHandover } from '../harness/process.ts'
import { selfSigned } from '../harness/self-signed.ts'
import { createTestDatabase, type TestDatabase } from '../harness/test-database.ts'

// A PostgreSQL on another machine, as far as TLS goes: in front of the test's own, which has none.

const SSL_REQUEST = 80_877_103
const certificate = selfSigned('localhost')
let database: TestDatabase
let folder = ''
before(async () => {
  database = await createTestDatabase()
  folder = await mkdtemp(join(tmpdir(), 'handover-tls-'))
  await writeFile(join(folder, 'ca.pem'), certificate.cert)
})
after(async () => {
  await database?.drop()
  await rm(folder, { recursive: true, force: true })
})

/** `clear` is what came without TLS, but for the question whether there is any. */
type Front = { port: number; clear: () => string; encrypted: () => boolean; stop: () => void }

async function inFront(offers: 'S' | 'N'): Promise<Front> {
  const sockets = new Set<Socket>()
  let clear = ''
  let encrypted = false
  const server: Server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}))
    socket.once('data', (first: Buffer) => {
      if (first.length !== 8 || first.readUInt32BE(4) !== SSL_REQUEST) {
        clear += first.toString('latin1')
        return void socket.destroy()
      }
      socket.write(offers)
      if (offers === 'N')
        return void socket.on('data', (chunk: Buffer) => {
          clear += chunk.toString('latin1')
          socket.end()
        })
      const inside = new TLSSocket(socket, { isServer: true, ...certificate })
      const behind = connect(Number(new URL(database.url).port), '127.0.0.1')
      for (const each of [inside, behind]) each.on('error', () => each.destroy())
      inside.once('secure', () => {
        encrypted = true
      })
      inside.pipe(behind).pipe(inside)
    })
  })
  const port = await listening(server)
  return {
    port,
    clear: () => clear,
    encrypted: () => encrypted,
    stop: () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

async function migrate({ port }: Front, mode: string, more: Record<string, string> = {}) {
  const url = new URL(database.url)
  url.hostname = 'localhost'
  url.port = String(port)
  url.searchParams.set('sslmode', mode)
  const ran = runHandover(['migrate'], {
    AUTH_URL: 'https://id.example.com',
    HANDOVER_MASTER_KEY: Buffer.alloc(32, 1).toString('base64'),
    DATABASE_URL: url.href,
    ...more,
  })
  return { code: await ran.ended, said: ran.out() + ran.err() }
}

test('verify-full with a certificate that is trusted: everything goes through TLS', async (context) => {
  const front = await inFront('S')
  context.after(front.stop)
  const { code, said } = await migrate(front, 'verify-full', { NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem') })
  assert.equal(code, 0, said)
  assert.ok(front.encrypted())
  assert.equal(front.clear(), '')
})

test('verify-full with a certificate that nobody vouches for: one line, and no word of ours was said', async (context) => {
  const front = await inFront('S')
  context.after(front.stop)
  const { code, said } = await migrate(front, 'verify-full')
  assert.equal(code, 1)
  assert.match(said, /cannot be used: self-signed certificate/)
  assert.ok(!said.includes(new URL(database.url).password))
  assert.equal(front.clear(), '')
})

for (const mode of ['verify-full', 'require']) {
  test(`${mode} with a server that has no TLS: nothing is said in the clear instead`, async (context) => {
    const front = await inFront('N')
    context.after(front.stop)
    const { code, said } = await migrate(front, mode)
    assert.equal(code, 1, said)
    assert.doesNotMatch(front.clear(), /handover|user|test_/, 'no start-up message: user and database stand in it')
  })
}
