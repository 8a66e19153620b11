import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { createServer } from 'node:https'
import { buffer } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { newApplication } from '../../src/domain/applications/application.ts'
import { insertApplication, insertApplicationSecret } from '../../src/domain/applications/application-store.ts'
import { newOpaqueSecret } from '../../src/platform/opaque-secret.ts'
import { environmentOf, readCompose, type ServiceEnvironment } from '../harness/compose.ts'
import { lessThanAContainer, runContainer } from '../harness/container.ts'
import { buildImageFolder, type ImageFolder } from '../harness/image-folder.ts'
import { listening } from '../harness/listening.ts'
import { nginxMissing, type Proxy, startNginx } from '../harness/nginx.ts'
import type { HandoverProcess } from '../harness/process.ts'
import { startProxyInFront } from '../harness/proxy-in-front.ts'
import { quietPort } from '../harness/quiet-port.ts'
import { callSecurely } from '../harness/secure-call.ts'
import { selfSigned } from '../harness/self-signed.ts'
import { PATIENCE_MS, soon } from '../harness/soon.ts'
import { createTestDatabase, type TestDatabase } from '../harness/test-database.ts'

// compose.yaml without containers: what the image holds, with exactly the environment of each service, in front of it our
// configuration of nginx. What differs from the real thing is said.

const FACILITY = 'fac_topology'
const application = { id: 'app_topology', secret: newOpaqueSecret() }
const oneReceiver = new URL('../harness/one-receiver.ts', import.meta.url).href

type Role = 'web' | 'worker'
type Arrival = { id: string; valid: boolean }

describe('the services of compose.yaml', () => {
  let image: ImageFolder
  let database: TestDatabase
  let surroundings: ServiceEnvironment
  let proxy: Proxy
  let authUrl = ''
  let httpPort = 0
  let upstreams: number[] = []
  let ports: Record<string, string> = {}
  const certificate = selfSigned('localhost')
  const receiverCertificate = selfSigned('partner.example')
  const running: Record<Role, HandoverProcess[]> = { web: [], worker: [] }
  const arrivals: Arrival[] = []
  let secret = ''
  const receiver = createServer(receiverCertificate, (request, response) => {
    take(request).then(
      () => response.writeHead(204).end(),
      () => response.destroy(),
    )
  })
  async function take(request: IncomingMessage): Promise<void> {
    const body = await buffer(request)
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]): [string, string] => [name, String(value)]),
    )
    arrivals.push({ id: headers['webhook-id'] ?? '', valid: verifies(secret, body.toString(), headers) })
  }
  const call = (path: string, options: Parameters<typeof callSecurely>[2] = {}) =>
    callSecurely(`${authUrl}${path}`, certificate.cert, options)

  before(async () => {
    const { services } = await readCompose()
    assert.deepEqual([services['web']?.deploy, services['worker']?.deploy], [{ replicas: 2 }, { replicas: 2 }])
    ;[image, database] = await Promise.all([buildImageFolder(), createTestDatabase('empty')])
    const httpsPort = await quietPort()
    httpPort = await quietPort()
    authUrl = `https://localhost:${httpsPort}`
    surroundings = await environmentOf(
      services['web'],
      { AUTH_URL: authUrl },
      { database_url: `${database.url}\n`, master_key: `${Buffer.alloc(32, 5).toString('base64')}\n`, smtp_url: '' },
    )
    assert.deepEqual(services['worker']?.environment, services['web']?.environment)
    ports = { PORT: '0', METRICS_PORT: '0', HANDOVER_HOST: '127.0.0.1' }
    const authorities = await surroundings.file('authorities.pem', certificate.cert + receiverCertificate.cert)
    Object.assign(ports, { NODE_EXTRA_CA_CERTS: authorities })

    const migrate = run(services['migrate']?.command)
    assert.equal(await migrate.ended, 0, migrate.err())
    assert.match(migrate.out(), /^Migrated: 1, 2, /)

    const behindAll = {
      NODE_OPTIONS: `--import ${oneReceiver}`,
      RECEIVER_BEHIND_ALL: String(await listening(receiver)),
    }
    for (const role of ['web', 'web', 'worker', 'worker'] as const)
      running[role].push(run(services[role]?.command, role === 'worker' ? behindAll : {}))
    const said = await Promise.all([...running.web, ...running.worker].map((each) => each.says(/"port":(\d+),/)))
    upstreams = said.slice(0, 2).map(([, port]) => Number(port))
    proxy = await (nginxMissing ? startProxyInFront : startNginx)({ upstreams, httpPort, httpsPort, certificate })

    const { db } = database
    await insertApplication(
      db,
      newApplication({ id: application.id, name: 'Topology', type: 'machine', clientCredentials: true }),
    )
    await insertApplicationSecret(db, application.id, 'test', application.secret)
    // The doctor counts who is connected, and what nobody uses is closed after ten seconds: sooner or later by that clock we are not.
    await db.end()
  })

  after(async () => {
    await proxy?.stop()
    for (const each of [...running.web, ...running.worker]) each.child.kill('SIGTERM')
    await Promise.all([...running.web, ...running.worker].map(({ ended }) => ended))
    receiver.closeAllConnections()
    receiver.close()
    await surroundings?.remove()
    await database?.drop()
    await image?.remove()
  })

  function run(args: string[] = [], more: Record<string, string> = {}): HandoverProcess {
    return runContainer(image, args, { ...surroundings.env, ...ports, ...more })
  }

  test('what differs here from containers', (context) => {
    context.diagnostic('processes instead of containers: there is no Docker engine here')
    if (lessThanAContainer) context.diagnostic(`the processes ran ${lessThanAContainer}`)
    if (nginxMissing)
      context.diagnostic(`a stand-in instead of nginx, with the headers of its configuration (${nginxMissing})`)
  })

  test('through the proxy: discovery with the public name, https for good, and http leads there', async () => {
    const discovery = await call('/oidc/.well-known/openid-configuration')
    assert.equal(discovery.status, 200)
    assert.equal(discovery.body['issuer'], `${authUrl}/oidc`)
    assert.match(discovery.headers.get('strict-transport-security') ?? '', /max-age=/)
    const plain = await fetch(`http://localhost:${httpPort}/portal?x=1`, { redirect: 'manual' })
    assert.equal(plain.status, 308)
    assert.equal(plain.headers.get('location'), 'https://localhost/portal?x=1')
    const portal = await call('/portal/sign-in')
    assert.match(portal.headers.get('set-cookie') ?? '', /__Host-.*Secure/, 'cookies for https')
  })

  test('a token, a webhook, an event: delivered by a worker, signed', async () => {
    const made = run(['platform-key', 'create', '--environment', 'sandbox', '--name', 'topology'])
    assert.equal(await made.ended, 0, made.err())
    const platform = { authorization: `Bearer ${made.out().trim()}`, 'content-type': 'application/json' }
    for (const [path, body] of [
      [`/facilities/${FACILITY}`, { name: 'Topology' }],
      [`/facilities/${FACILITY}/applications/${application.id}`, undefined],
    ] as const) {
      const answer = await call(`/platform/v1${path}`, {
        method: 'PUT',
        headers: platform,
        body: body === undefined ? '' : JSON.stringify(body),
      })
      assert.ok(answer.status < 300, `${path} ${answer.text}`)
    }
    const token = await call('/oidc/oauth/token', {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: `grant_type=client_credentials&client_id=${application.id}&client_secret=${application.secret}&audience=urn:handover:api:sandbox`,
    })
    const headers = {
      authorization: `Bearer ${String(token.body['access_token'])}`,
      'content-type': 'application/json',
    }
    const webhook = await call('/api/v2/public/webhooks/facility', {
      method: 'POST',
      headers,
      body: JSON.stringify({
        url: 'https://partner.example/hook',
        events: ['shift.created'],
        facilities: [],
        secrets: [],
      }),
    })
    assert.equal(webhook.status, 201, webhook.text)
    secret = /whsec_[^"]+/.exec(webhook.text)?.[0] ?? ''
    const event = await call('/platform/v1/events', {
      method: 'POST',
      headers: platform,
      body: JSON.stringify({
        environment: 'sandbox',
        type: 'shift.created',
        facilityId: FACILITY,
        data: { shiftId: '1' },
      }),
    })
    assert.equal(event.status, 202, event.text)
    assert.ok(
      await soon(async () => arrivals.length === 1, PATIENCE_MS),
      running.worker.map((each) => each.out()).join(''),
    )
    assert.deepEqual(
      arrivals.map(({ valid }) => valid),
      [true],
    )
  })

  test('throttling counts by the visitor’s own address, whatever the visitor writes into a header', async () => {
    const guess = async (from: string, forged: string) =>
      (
        await call('/oidc/oauth/token', {
          method: 'POST',
          from,
          headers: {
            'content-type': 'application/x-www-form-urlencoded',
            'x-forwarded-for': forged,
            forwarded: `for=${forged}`,
          },
          body: 'grant_type=client_credentials&client_id=app_none&client_secret=wrong&audience=x',
        })
      ).status
    for (let count = 1; count <= 20; count += 1) assert.equal(await guess('127.0.0.2', `192.0.2.${count}`), 401)
    assert.equal(await guess('127.0.0.2', '192.0.2.99'), 429)
    assert.equal(await guess('127.0.0.3', '192.0.2.1'), 401)
  })

  test('the doctor finds nothing wrong but what this database really lacks', async () => {
    const ran = run(['doctor', '--json'])
    await ran.ended
    const { findings }: { findings: Array<{ check: string; state: string; says: string }> } = JSON.parse(ran.out())
    const faults = findings.filter(({ state }) => state === 'wrong').map(({ says }) => says)
    assert.ok(
      faults.length > 0 && faults.every((says) => /^(?:fsync|full_page_writes) is off/.test(says)),
      faults.join('\n'),
    )
    const says = (check: string) => findings.find((finding) => finding.check === check)?.says
    assert.match(says('workers') ?? '', /^2 wait/)
    assert.equal(says('proxy in front'), 'trusted to say who calls: 1')
    assert.match(says('connections') ?? '', /; 4 of our processes may want 44$/)
  })

  test('the probes of image and compose.yaml: one knows an address that answers from one that does not', async () => {
    const { services } = await readCompose()
    const [, program = '', ...words] = services['web']?.healthcheck?.test ?? []
    const dockerfile = await readFile(new URL('../../Dockerfile', import.meta.url), 'utf8')
    const inImage: string[] = JSON.parse(/^ {2}CMD (\[.*\])$/m.exec(dockerfile)?.[1] ?? '[]')
    assert.deepEqual([program, inImage[0]], ['node', 'node'])
    for (const [args, isSo] of [
      [words.map((word) => word.replace('4000', String(upstreams[0]))), true],
      [words.map((word) => word.replace('4000', '1')), false],
      [inImage.slice(1), true],
    ] as const) {
      const probe = spawn(process.execPath, args, { env: { PORT: String(upstreams[0]) }, stdio: 'ignore' })
      const [code] = await once(probe, 'close')
      assert.equal(code === 0, isSo, args.join(' '))
    }
  })

  test('both processes answer, and when one is stopped nobody notices', async () => {
    for (const web of running.web) assert.match(web.out(), /"msg":"request"/)
    const [leaving] = running.web
    assert.ok(leaving)
    leaving.child.kill('SIGTERM')
    const statuses = new Set<number>()
    for (let count = 0; count < 20 || leaving.child.exitCode === null; count += 1)
      statuses.add((await call('/oidc/.well-known/jwks.json')).status)
    assert.deepEqual([...statuses], [200])
    assert.equal(await leaving.ended, 0)
  })

  test('every process ends in order, well within what compose.yaml gives it', async () => {
    const rest = [...running.web.slice(1), ...running.worker]
    for (const each of rest) each.child.kill('SIGTERM')
    assert.deepEqual(await Promise.all(rest.map(({ ended }) => ended)), [0, 0, 0])
    const lines = [...running.web, ...running.worker].flatMap((each) => `${each.out()}\n${each.err()}`.split('\n'))
    // Seven processes start at once here: that one had to wait says something of this machine, not of these files. Two clocks
    // end that wait after the same two seconds, ours and the one of postgres.js.
    const waited = /"type":"OutOfTime"|"errorCode":"CONNECT_TIMEOUT"/
    const alarming = lines.filter((line) => /"level":[4-6]0|EROFS|EACCES/.test(line) && !waited.test(line))
    assert.deepEqual(alarming, [])
  })
})

function verifies(secret: string, body: string, headers: Record<string, string>): boolean {
  try {
    new Webhook(secret).verify(body, headers)
    return true
  } catch {
    return false
  }
}
