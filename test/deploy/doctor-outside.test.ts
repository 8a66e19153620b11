import assert from 'node:assert/strict'
import { createServer } from 'node:https'
import { after, test } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { startDeployed } from '../harness/deployed.ts'
import { askDoctor } from '../harness/doctor.ts'
import { listening } from '../harness/listening.ts'
import { selfSigned } from '../harness/self-signed.ts'

// The public address as most deployments have it: a proxy that ends TLS. Here it shows the certificates that a test gives it.

const DAY_MS = 24 * 3_600_000
const proxy = createServer((request, response) => {
  fetch(`${service.url}${request.url}`).then(
    async (inner) => response.writeHead(inner.status, Object.fromEntries(inner.headers)).end(await inner.text()),
    () => response.destroy(),
  )
})
const authUrl = `https://localhost:${await listening(proxy)}`
const service = await startDeployed({ AUTH_URL: authUrl })
after(async () => {
  proxy.closeAllConnections()
  proxy.close()
  await service.stop()
})
const settings = {
  AUTH_URL: authUrl,
  DATABASE_URL: service.database.url,
  HANDOVER_MASTER_KEY: Buffer.alloc(32, 3).toString('base64'),
  HANDOVER_TRUST_PROXY: '1',
  METRICS_PORT: '1',
}

const authorities = getCACertificates('default')
after(() => setDefaultCACertificates(authorities))

function show(name: string, days: number, trusted = true): void {
  const certificate = selfSigned(name, Date.now() + days * DAY_MS)
  proxy.setSecureContext(certificate)
  setDefaultCACertificates(trusted ? [...authorities, certificate.cert] : authorities)
}

test('a certificate that is good for a while, and one that nobody renewed yet', async () => {
  show('localhost', 60)
  const good = await askDoctor(settings)
  assert.deepEqual(good.states('certificate', 'discovery', 'published keys', 'proxy in front'), [
    'ok',
    'ok',
    'ok',
    'ok',
  ])
  assert.match(good.of('certificate')?.says ?? '', /valid for (?:59|60) days more/)
  assert.equal(good.of('metrics')?.state, 'skipped')
  show('localhost', 3)
  assert.deepEqual((await askDoctor(settings)).states('certificate', 'discovery'), ['warning', 'ok'])
})

test('a certificate that has expired, is for another name, or that nobody vouches for', async () => {
  show('localhost', -1)
  const expired = await askDoctor(settings)
  assert.match(expired.of('certificate')?.says ?? '', /cannot be reached: CERT_HAS_EXPIRED$/)
  show('elsewhere.example', 60)
  const named = await askDoctor(settings)
  assert.match(named.of('certificate')?.advice ?? '', /a certificate for the name in AUTH_URL/)
  show('localhost', 60, false)
  const unknown = await askDoctor(settings)
  assert.equal(unknown.of('certificate')?.state, 'wrong')
  assert.match(unknown.of('certificate')?.advice ?? '', /vouch for/)
})

test('https without a trusted proxy: everybody would be one address', async () => {
  show('localhost', 60)
  const { of } = await askDoctor({ ...settings, HANDOVER_TRUST_PROXY: 'off' })
  assert.equal(of('proxy in front')?.state, 'warning')
})

test('a proxy that is away', async () => {
  const { of } = await askDoctor({ ...settings, AUTH_URL: 'https://localhost:1' })
  assert.match(of('discovery')?.says ?? '', /cannot be reached: ECONNREFUSED/)
})
