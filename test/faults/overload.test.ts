import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { newOpaqueSecret } from '../../src/platform/opaque-secret.ts'
import { type Answer, ask, assertError, formOf, textOf } from '../harness/answer.ts'
import { PATIENCE_MS, soon, startWatch } from '../harness/soon.ts'
import { holdTables } from '../harness/table-lock.ts'
import { PRODUCTION, SANDBOX, startTokenScene } from '../harness/token-scene.ts'
import { formsOf, WebClient } from '../harness/web-client.ts'

const WAIT_MS = 1_000
/** As many as an address lets in at once. */
const AT_ONCE = 64
const MORE = 4
const PAUSE_MS = 100
const HEAD = 'POST /oidc/oauth/token HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/x-www-form-urlencoded'

const scene = await startTokenScene({ HANDOVER_LONGEST_WAIT_MS: String(WAIT_MS) })
const { service, url, db } = scene
after(service.stop)

const machine = await scene.application({ clientCredentials: true, ratePerSecond: 10_000, rateBurst: 10_000 })
const credentials = (audience: string) => scene.token(machine, { grant_type: 'client_credentials', audience })
const apiToken = textOf(await credentials(SANDBOX), 'access_token')

type Address = { title: string; path: string; table: string; init: RequestInit; type: string; says: RegExp }

const page = { type: 'text/html', says: /Too busy/ }
const problem = { type: 'application/problem+json', says: /"code":"overloaded"/ }
const addresses: Address[] = [
  {
    title: 'the token endpoint',
    path: '/oidc/oauth/token',
    table: 'authorization_codes',
    init: {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(`${machine.id}:${machine.secret}`).toString('base64')}` },
      body: formOf({ grant_type: 'authorization_code', code: 'x' }),
    },
    type: 'application/json',
    says: /"error":"temporarily_unavailable"/,
  },
  {
    title: 'a page of the identity server',
    path: '/oidc/account',
    table: 'sessions',
    init: { headers: { cookie: `handover-session=${newOpaqueSecret()}` } },
    ...page,
  },
  {
    title: 'the public API',
    path: '/api/v2/public/webhooks/facility',
    table: 'webhooks',
    init: { headers: { authorization: `Bearer ${apiToken}` } },
    ...problem,
  },
  {
    title: 'the platform API',
    path: '/platform/v1/events',
    table: 'platform_keys',
    init: { method: 'POST', headers: { authorization: `Bearer ${service.demo['PLATFORM_KEY']}` } },
    ...problem,
  },
  {
    title: 'the portal',
    path: '/portal',
    table: 'integrator_sessions',
    init: { headers: { cookie: `handover-portal=${newOpaqueSecret()}` } },
    ...page,
  },
  {
    title: 'the support console',
    path: '/support',
    table: 'staff_sessions',
    init: { headers: { cookie: `handover-support=${newOpaqueSecret()}` } },
    ...page,
  },
]

test('503 at an address where too many are under way, in the style of its door, and nowhere else', async (t) => {
  const held = await holdTables(
    db,
    addresses.map(({ table }) => table),
  )
  const crowds = addresses.map((address) => ({ ...address, ...crowd(address, AT_ONCE + MORE) }))
  for (const { title, answers, type, says } of crowds) {
    await t.test(title, async () => {
      assert.ok(await soon(async () => answers.length >= MORE, PATIENCE_MS), `${answers.length} were turned away`)
      for (const turnedAway of answers) {
        assert.equal(turnedAway.status, 503, turnedAway.text)
        assert.match(turnedAway.headers.get('retry-after') ?? '', /^[123]$/)
        assert.equal(turnedAway.headers.get('content-type')?.split(';')[0], type)
        assert.match(turnedAway.headers.get('x-request-id') ?? '', /^req_/)
        assert.match(turnedAway.text, says)
      }
    })
  }
  assert.equal((await ask(`${url}/healthz`)).status, 200)
  assert.equal((await ask(`http://127.0.0.1:${service.metricsPort}/metrics`)).status, 200)
  assert.equal((await ask(`${url}/oidc/.well-known/jwks.json`)).status, 200, 'each address has places of its own')
  await held.release()
  for (const { title, all } of crowds) {
    const statuses = (await all).map(({ status }) => status)
    assert.equal(statuses.filter((status) => status === 503).length, MORE, `${title}: ${statuses.join(' ')}`)
  }
  for (const address of addresses) assert.notEqual((await crowd(address, 1).all)[0]?.status, 503, address.title)
})

const [, account, , events] = addresses
assert.ok(account && events)
const headers = new Headers(events.init.headers)
headers.set('content-type', 'application/json')
const withBody = { ...events, init: { ...events.init, body: '{}', headers } }
for (const address of [account, withBody]) {
  test(`who hangs up gives the place back, in line and inside: ${address.title}`, async () => {
    const held = await holdTables(db, [address.table])
    const hangUp = new AbortController()
    const gone = crowd({ ...address, init: { ...address.init, signal: hangUp.signal } }, AT_ONCE + MORE)
    await held.waited()
    hangUp.abort()
    await gone.all
    await held.release()
    // Not one place is missing, and there is not one too many.
    const nobodyIsTurnedAway = async () => (await crowd(address, AT_ONCE).all).every(({ status }) => status !== 503)
    assert.ok(await soon(nobodyIsTurnedAway, PATIENCE_MS))
    const again = await holdTables(db, [address.table])
    const { answers, all } = crowd(address, AT_ONCE + 1)
    assert.ok(await soon(async () => answers.length > 0, PATIENCE_MS))
    await again.release()
    const statuses = (await all).map(({ status }) => status)
    assert.equal(statuses.filter((status) => status === 503).length, 1, statuses.join(' '))
  })
}

test('who sends slowly holds no place for longer than anybody waits for it', async () => {
  const slow = await Promise.all(Array.from({ length: AT_ONCE + MORE }, open))
  for (const socket of slow) socket.write(`${HEAD}\r\ncontent-length: 5000\r\n\r\ngrant_type=`)
  // Read after them, so that they are inside by then.
  await ask(`${url}/healthz`)
  let came = await comeInLine()
  for (let turn = 0; turn < 2 && came.paused && came.answer.status === 503; turn += 1) came = await comeInLine()
  for (const socket of slow) socket.destroy()
  assert.equal(came.answer.status, 200, came.answer.text)
})

/** Whom a pause of this process, which is the service's too, keeps in line for longer than anybody waits is turned away rightly. */
async function comeInLine(): Promise<{ answer: Answer; paused: boolean }> {
  const began = performance.now()
  const watch = startWatch()
  const answer = await credentials(PRODUCTION)
  const counted = watch()
  return { answer, paused: performance.now() - began - counted > PAUSE_MS }
}

test('nobody reads in the request log of an application that others were in the way', async () => {
  const rows = await db`select 1 from request_log where status = 503`
  assert.equal(rows.length, 0)
})

test('what is turned away is counted, and said once a second at most', async () => {
  const all = await (await fetch(`http://127.0.0.1:${service.metricsPort}/metrics`)).text()
  const metrics = /^handover_http_requests_shed.*$/gm[Symbol.match](all)?.join('\n') ?? ''
  assert.match(metrics, new RegExp(`handover_http_requests_shed_total\\{door="portal"\\} ${MORE}$`, 'm'))
  assert.match(metrics, new RegExp(`handover_http_requests_shed_total\\{door="public-api"\\} ${MORE}$`, 'm'))
  assert.doesNotMatch(all, /^handover_http_request_seconds_count.*status="503"/m, 'and by nothing else')
  const lines = service.logged.filter((line) => line.includes('requests were turned away'))
  assert.ok(lines.length > 0 && lines.length < 3 * addresses.length, lines.join(''))
  assert.ok(!service.logged.some((line) => line.includes('"msg":"request"') && line.includes('"status":503')))
  const rows = await db`select 1 from request_log where status = 503`
  assert.equal(rows.length, 0, 'nor is the request log of a team filled with it')
})

test('503 when too many passwords are being checked: the page keeps the name, and the password grant says so too', async () => {
  const person = new WebClient()
  const client = await scene.application({ redirectUris: ['https://client.example/cb'], passwordGrant: true })
  const login = await person.open(
    `${url}/oidc/authorize?client_id=${client.id}&response_type=code&scope=openid&redirect_uri=https://client.example/cb`,
  )
  const storm = startStorm()
  try {
    const shown = await until503(() => person.submit(login, { username: 'nurse', password: 'typed-once' }))
    assert.match(shown.headers.get('retry-after') ?? '', /^[123]$/)
    assert.match(shown.text, /The service is busy/)
    assert.equal(formsOf(shown)[0]?.fields['username'], 'nurse')
    assert.doesNotMatch(shown.text, /typed-once/)
    const fields = { grant_type: 'password', username: 'nurse', password: scene.password }
    const refused = await until503(() => scene.token(client, fields))
    assertError(refused, 503, 'temporarily_unavailable')
    assert.match(refused.headers.get('retry-after') ?? '', /^[123]$/)
    assert.equal((await credentials(PRODUCTION)).status, 200, 'tokens that need no password are made')
  } finally {
    await storm.end()
  }
  const signedIn = await person.submit(login, { username: 'nurse', password: scene.password })
  assert.equal(signedIn.status, 303, 'what was refused counted as no failure')
})

const newcomer = { name: 'Ann Lee', password: 'tangerine boat 7' }
const signUps = [
  {
    title: 'people',
    fields: { ...newcomer, role: 'NURSE_USER' },
    open: async (browser: WebClient) => {
      const { id } = await scene.application({ redirectUris: ['https://client.example/cb'] })
      const asked = `client_id=${id}&response_type=code&scope=openid&redirect_uri=https://client.example/cb`
      return browser.open(`${url}/oidc/authorize?${asked}&screen_hint=signup`)
    },
  },
  { title: 'integrators', fields: newcomer, open: (browser: WebClient) => browser.open(`${url}/portal/sign-up`) },
]
for (const { title, fields, open: openForm } of signUps) {
  test(`503 at the sign-up of ${title} counts as no mail: all five of a quarter of an hour are still theirs`, async () => {
    const browser = new WebClient()
    const form = await openForm(browser)
    let email = ''
    const storm = startStorm()
    try {
      const refused = await until503(() => {
        // Another each time: who gets through has had a mail.
        email = `${randomUUID()}@example.com`
        return browser.submit(form, { ...fields, email })
      })
      assert.equal(refused.status, 503, refused.text)
      assert.match(refused.text, /The service is busy/)
    } finally {
      await storm.end()
    }
    const statuses: number[] = []
    for (let mail = 1; mail <= 6; mail += 1) {
      statuses.push((await browser.submit(form, { ...fields, email })).status)
    }
    assert.deepEqual(statuses, [303, 303, 303, 303, 303, 429])
  })
}

/** Many at once; those that were answered so far, in the order of their answers. Who hung up has none. */
function crowd(
  { path, init }: Pick<Address, 'path' | 'init'>,
  count: number,
): { answers: Answer[]; all: Promise<Answer[]> } {
  const answers: Answer[] = []
  const asked = Array.from({ length: count }, () =>
    ask(url + path, init).then(
      (answer) => void answers.push(answer),
      () => {},
    ),
  )
  return { answers, all: Promise.all(asked).then(() => answers) }
}

/** A connection that was accepted, so that what is sent next is read at once. */
async function open(): Promise<Socket> {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1' })
  socket.write('GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n')
  await once(socket, 'data')
  return socket
}

/** Keeps the line for passwords full. */
function startStorm(): { end: () => Promise<void> } {
  const over = new AbortController()
  async function again(): Promise<void> {
    if (over.signal.aborted) return
    if ((await service.deps.passwords.hash('storm')) === null) await sleep(10)
    await again()
  }
  const many = Array.from({ length: 200 }, again)
  return {
    end: async () => {
      over.abort()
      await Promise.all(many)
    },
  }
}

/** A place in that line may become free at any moment. */
async function until503<Some extends { status: number }>(attempt: () => Promise<Some>): Promise<Some> {
  let answer = await attempt()
  await soon(async () => answer.status === 503 || (answer = await attempt()).status === 503, PATIENCE_MS)
  return answer
}
