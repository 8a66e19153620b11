import assert from 'node:assert/strict'
import { Agent, type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { after, describe, test } from 'node:test'
import * as fc from 'fast-check'
import { connectApplication, upsertFacility } from '../../src/domain/facilities/facility-store.ts'
import { platformApiDocument } from '../../src/platform-api/openapi.ts'
import { publicApiDocument } from '../../src/public-api/openapi.ts'
import { type Answer, ask, toAnswer } from '../harness/answer.ts'
import { faultsIn } from '../harness/api-client.ts'
import { requestsFor, type Sketch } from '../harness/api-requests.ts'
import { startApiScene } from '../harness/api-scene.ts'
import { type DescribedOperation, isJson, type Json, jsonAt, operationsOf } from '../harness/openapi-document.ts'
import { openApiJudge } from '../harness/openapi-judge.ts'
import type { Known } from '../harness/schema-values.ts'

/** The same requests every time; a failure prints the smallest one that shows it, with the seed. */
const SEED = Number(process.env['FUZZ_SEED'] ?? 20_260_101)
const RUNS = Number(process.env['FUZZ_RUNS'] ?? 40)

const scene = await startApiScene({ HANDOVER_LOG_LEVEL: 'error' })
after(scene.service.stop)
const agent = new Agent({ keepAlive: true, maxSockets: 1 })
after(() => agent.destroy())
const { port } = new URL(scene.url)

// As many as it likes, so that 409 and 429 do not hide what lies behind them.
const plenty = 1_000_000
const application = await scene.integrator({
  apiRatePerSecond: plenty,
  apiRateBurst: plenty,
  webhooksPerPerson: plenty,
  webhooksPerApplication: plenty,
})
const person = await scene.person()
const facilities = await Promise.all([1, 2, 3].map(() => scene.facility('production', person, application)))
// The facility of the documents' examples.
const riverside = { id: 'fac_riverside', environment: 'sandbox' as const }
await upsertFacility(scene.db, { ...riverside, name: 'Riverside', city: null, state: null })
await connectApplication(scene.db, riverside, application.id)

/** A listener whose name is what stands in a path that names nothing, and what waits for it. */
const waiting = await waitingForListener()

async function waitingForListener(): Promise<string[]> {
  const api = await scene.appApi(application, 'sandbox')
  assert.equal((await api.raw('PUT', '/sandbox/listeners/none', '{"events":["shift.created"]}')).status, 201)
  const event = { type: 'shift.created', facilityId: riverside.id, data: {} }
  for (let count = 0; count < 5; count += 1) assert.equal((await api.post('/sandbox/events', event)).status, 202)
  const rows = await scene.db<Array<{ id: string }>>`
    select deliveries.id from deliveries join webhooks on webhooks.id = webhook_id
    where application_id = ${application.id} and listener = 'none'`
  return rows.map(({ id }) => id)
}

/** Things that belong together, by the names that paths give them. */
type Place = Record<string, string>

type Door = {
  title: string
  document: Json
  /** What means something to an operation. */
  known: (path: string) => Known
  /** Authorization headers by who sends them. */
  authorization: Record<string, string>
  senders: (path: string) => { good: string[]; odd: string[] }
  /** What exists where an operation looks. */
  places: (path: string) => Place[]
  /** What exists since it was done. */
  learn: (path: string, place: Place, data: Json) => void
}

const strangers = { nobody: '', half: 'Bearer', basic: 'Basic eDp5', forger: 'Bearer x' }

const webhooks: Record<'facility' | 'user', Place[]> = {
  facility: (await scene.webhooks({ application }, 'facility', 30)).map((webhookId) => ({ webhookId })),
  user: (await scene.webhooks({ application }, 'user', 30)).map((webhookId) => ({ webhookId })),
}
const ofKind = (path: string) => webhooks[path.includes('/webhooks/facility') ? 'facility' : 'user']

const publicApi: Door = {
  title: 'the public API',
  document: asJson(publicApiDocument(scene.url)),
  known: (path) => ({
    url: ['https://partner.example/hook', 'http://localhost:1/hook', 'https://xn--bcher-kva.example/?a=b'],
    facilities,
    ...(path.includes('/sandbox/')
      ? { facilityId: [riverside.id], type: ['shift.created'], deliveryId: waiting, attempt: [1] }
      : { facilityId: facilities }),
    userId: [person],
    secrets: ['a secret', `whsec_${Buffer.alloc(32).toString('base64')}`],
    from: ['2026-01-01T00:00:00Z'],
    to: ['2099-01-01T00:00:00Z', '2025-01-01T00:00:00.000Z'],
  }),
  authorization: {
    ...strangers,
    application: `Bearer ${await scene.appToken(application)}`,
    sandbox: `Bearer ${await scene.appToken(application, 'sandbox')}`,
    person: `Bearer ${await scene.personToken(application, person)}`,
    reader: `Bearer ${await scene.personToken(application, person, 'production', ['openid', 'marketplace:read'])}`,
    'for userinfo': `Bearer ${(await scene.grant(application)).access}`,
  },
  senders: (path) => ({
    good: path.includes('/sandbox/') ? ['sandbox'] : ['application', 'application', 'application', 'person'],
    odd: [...Object.keys(strangers), 'reader', 'for userinfo', 'sandbox'],
  }),
  places: ofKind,
  learn: (path, place, { id, deliveryId }) => {
    if (typeof deliveryId === 'string') ofKind(path).push({ ...place, deliveryId })
    if (String(id).startsWith('rpl_')) ofKind(path).push({ ...place, replayId: String(id) })
    if (String(id).startsWith('whk_')) ofKind(path).push({ webhookId: String(id) })
  },
}

const ids = { people: ['person-1', 'person-2', 'person-3'], facilities: ['house-1', 'house-2', 'house-3'] }
const keys = {
  sandbox: scene.service.demo['PLATFORM_KEY'] ?? '',
  production: scene.service.demo['PLATFORM_KEY_PROD'] ?? '',
}
for (const [environment, key] of Object.entries(keys)) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const put = (path: string, body: object) =>
    ask(`${scene.url}/platform/v1${path}`, { method: 'PUT', headers, body: JSON.stringify(body) })
  for (const id of ids.facilities) assert.equal((await put(`/facilities/${id}`, { name: id })).status, 201, environment)
  const someone = { role: 'NURSE_USER', name: 'Ann Lee' }
  for (const id of ids.people) await put(`/people/${id}`, { ...someone, email: `${id}@example.com` })
}

const platformApi: Door = {
  title: 'the platform API',
  document: asJson(platformApiDocument(scene.url)),
  known: () => ({
    id: [...ids.people, ...ids.facilities],
    userId: ids.people,
    facilityId: ids.facilities,
    applicationId: [application.id],
    email: Array.from({ length: 500 }, (_, number) => `person-${number}@example.com`),
    name: ['Ann Lee'],
  }),
  authorization: {
    ...strangers,
    sandbox: `Bearer ${keys.sandbox}`,
    production: `Bearer ${keys.production}`,
    guesser: `Bearer hpk_${'x'.repeat(43)}`,
  },
  senders: () => ({ good: ['sandbox', 'production'], odd: [...Object.keys(strangers), 'guesser'] }),
  places: () =>
    ids.people.flatMap((userId) =>
      ids.facilities.map((facilityId) => ({ userId, facilityId, applicationId: application.id })),
    ),
  learn: () => {},
}

for (const door of [publicApi, platformApi]) {
  describe(`whatever is sent to ${door.title}, it answers as its OpenAPI document says`, () => {
    const judge = openApiJudge(door.document)
    for (const operation of inTurn(operationsOf(door.document))) {
      test(`${operation.method} ${operation.path}`, async () => {
        const seen = new Set<number>()
        const making = { ...door, senders: door.senders(operation.path), known: door.known(operation.path) }
        const property = fc.asyncProperty(requestsFor(operation, making), async (sketch) => {
          const place = placeOf(operation, sketch, door)
          const path = pathOf(operation, sketch, place)
          const answer = await send(operation.method, path, sketch, door.authorization[sketch.sender] ?? '')
          const { status, headers, text: said } = answer
          seen.add(status)
          assert.ok(status < 500, `${status} ${said}`)
          assert.deepEqual(judge.faultsOf({ method: operation.method, path, status, headers, text: said }), [], said)
          assertPointers(sketch, answer)
          if (operation.method === 'POST' && status < 300)
            door.learn(operation.path, place, jsonAt(answer.body, 'data'))
        })
        await fc.assert(property, { seed: SEED, numRuns: RUNS })
        // What never got past the door has shown nothing.
        assert.ok(
          [...seen].some((status) => status < 300 || status === 409),
          `only ${[...seen].join(', ')}: what does it need?`,
        )
      })
    }
  })
}

test('and nothing of all this was logged as a failure of ours', () => {
  assert.deepEqual(scene.service.logged, [])
})

/** What the others need is ended last; what comes later in a document leans on what comes before. */
function inTurn(operations: readonly DescribedOperation[]): DescribedOperation[] {
  const isEnd = ({ method, path }: DescribedOperation) => method === 'DELETE' || /-delete$|\/disable$/.test(path)
  return [...operations.filter((each) => !isEnd(each)), ...operations.filter(isEnd).toReversed()]
}

/** A place that has everything the path names, if there is one. */
function placeOf({ path }: DescribedOperation, { which }: Sketch, door: Door): Place {
  const all = door.places(path)
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '')
  const whole = all.filter((place) => names.every((name) => name in place))
  const places = whole.length > 0 ? whole : all
  return places[which % places.length] ?? {}
}

function pathOf(operation: DescribedOperation, { path }: Sketch, place: Place): string {
  const names = operation.path.split(/(\{\w+\})/).map((part) => part.replace(/[{}]/g, ''))
  return path.map((part, position) => part ?? place[names[position] ?? ''] ?? 'none').join('')
}

async function send(
  method: string,
  path: string,
  { query, headers, body }: Sketch,
  authorization: string,
): Promise<Answer> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const sized = body === null ? {} : { 'content-length': String(Buffer.byteLength(body)) }
    const options = { host: '127.0.0.1', port, agent, method, path: query === '' ? path : `${path}?${query}` }
    const sent = request(
      { ...options, headers: { ...headers, ...sized, ...(authorization !== '' && { authorization }) } },
      resolve,
    )
    sent.on('error', reject).end(body ?? undefined)
  })
  const named = Object.entries(response.headers).map(([name, value]): [string, string] => [name, String(value)])
  const isStream = response.headers['content-type']?.startsWith('text/event-stream') === true
  return toAnswer(
    response.statusCode ?? 0,
    new Headers(named),
    isStream ? await firstOf(response) : await text(response),
  )
}

/** What goes on for ever is left after its beginning. */
async function firstOf(response: IncomingMessage): Promise<string> {
  for await (const chunk of response) return String(chunk)
  return ''
}

/** What 422 points at is in the body, or is missing where it should be; or is said of the query or the path. */
function assertPointers({ body }: Sketch, answer: Answer): void {
  if (answer.status !== 422) return
  const value: unknown = body === null ? undefined : JSON.parse(new TextDecoder().decode(Buffer.from(body)))
  for (const { pointer, code } of faultsIn(answer)) {
    if (/^\/(query|path)\//.test(pointer)) continue
    const names = pointer
      .split('/')
      .slice(1)
      .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))
    const last = names.pop()
    const parent = names.reduce<unknown>((inside, name) => memberOf(inside, name), value)
    const found = last === undefined ? value : memberOf(parent, last)
    const isMissing = found === undefined && last !== undefined && isJson(parent)
    assert.equal(isMissing || found !== undefined, true, `${pointer} ${code} is nowhere in the body`)
    if (code === 'required') assert.ok(isMissing, `${pointer} is there`)
  }
}

function memberOf(value: unknown, name: string): unknown {
  if (!isJson(value) && !Array.isArray(value)) return undefined
  return new Map<string, unknown>(Object.entries(value)).get(name)
}

function asJson(document: object): Json {
  const value: unknown = JSON.parse(JSON.stringify(document))
  assert.ok(isJson(value))
  return value
}
