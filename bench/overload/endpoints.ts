import { upsertFacility } from '../../src/domain/facilities/facility-store.ts'
import { insertIntegrator } from '../../src/domain/integrators/integrator-store.ts'
import { insertTeam } from '../../src/domain/teams/team-store.ts'
import type { Db } from '../../src/platform/db.ts'
import { newId } from '../../src/platform/ids.ts'
import { createPasswordHasher } from '../../src/platform/password-hash.ts'
import { formsOf, WebClient } from '../../test/harness/web-client.ts'
import { applicationId, facilityId, SECRET, seedApplications } from '../api/seed.ts'
import { PLATFORM_KEY, seedPlatformKey } from '../delivery/scene.ts'
import type { LoadRequest } from '../load/order.ts'
import { API_SCOPE, AUDIENCE, CLIENT_ID, CLIENT_SECRET, seed, startFamilies } from '../token/application.ts'

/** What is asked for, and the status of an answer that was accepted. */
export type Endpoint = {
  name: string
  requests: LoadRequest[]
  expects: number
  refreshTokens: string[]
  /** Of what it can do, so much must be accepted at three times of it. */
  leastShare: number
}

/** Where an answer costs about four times of what it costs to turn somebody away, two thirds of a crowd cannot be turned away for little. */
const CHEAP_SHARE = 0.2
const USUAL_SHARE = 0.7

/** More than are under way at once. */
const FAMILIES = 3_000
const APPLICATIONS = 20
const PASSWORD = 'tangerine boat 7'
const CALLBACK = 'https://client.example/callback'
const CLIENT = { client_id: CLIENT_ID, client_secret: CLIENT_SECRET }

export async function seedEndpoints(db: Db): Promise<void> {
  await seed(db)
  await db`update applications set redirect_uris = ${[CALLBACK]}, password_grant = true where id = ${CLIENT_ID}`
  await seedApplications(db)
  await seedPlatformKey(db)
  await upsertFacility(db, { environment: 'sandbox', id: QUIET_FACILITY, name: 'Quiet', city: null, state: null })
  const integrator = { id: newId('int'), email: 'dev@example.com', name: 'Bench' }
  await insertIntegrator(db, { ...integrator, passwordHash: (await createPasswordHasher().hash(PASSWORD)) ?? '' })
  const actor = { kind: 'integrator', id: integrator.id, name: integrator.email } as const
  await insertTeam(db, { id: newId('tem'), name: 'Bench', ownerId: integrator.id }, { actor, requestId: null })
}

/** One of each kind of work: signatures only, reads, writes, pages, and passwords. */
export async function openEndpoints(port: number, db: Db): Promise<Endpoint[]> {
  const at = `http://127.0.0.1:${port}`
  const tokens = await Promise.all(Array.from({ length: APPLICATIONS }, (_, number) => apiToken(at, number)))
  const [family = ''] = await startFamilies(db, 1)
  const ofPerson = await accessToken(at, { grant_type: 'refresh_token', ...CLIENT, refresh_token: family })
  const authorize = `/oidc/authorize?${new URLSearchParams({
    client_id: CLIENT_ID,
    redirect_uri: CALLBACK,
    response_type: 'code',
    scope: 'openid',
    state: 'bench',
  }).toString()}`
  return [
    { ...endpoint('token, client_credentials', 200, [clientCredentials()]), leastShare: CHEAP_SHARE },
    {
      ...endpoint('token, refresh', 200, [refresh()]),
      refreshTokens: await startFamilies(db, FAMILIES),
    },
    {
      ...endpoint('userinfo', 200, [get('/oidc/userinfo', { authorization: `Bearer ${ofPerson}` })]),
      leastShare: CHEAP_SHARE,
    },
    endpoint('authorize', 303, [get(authorize, {})]),
    endpoint('API, create', 201, tokens.map(create)),
    endpoint(
      'API, list',
      200,
      tokens.map((token) => get(`${WEBHOOKS}?limit=20`, bearer(token))),
    ),
    endpoint('platform, events', 202, [event()]),
    endpoint('portal, a page', 200, [get('/portal/account', { cookie: await integratorsCookie(at) })]),
    endpoint('sign-in', 400, [await login(at, authorize)]),
  ]
}

/** No webhook is about it. */
const QUIET_FACILITY = 'fac_bench_quiet'
const WEBHOOKS = '/api/v2/public/webhooks/facility'

export function endpoint(name: string, expects: number, requests: LoadRequest[]): Endpoint {
  return { name, expects, requests, refreshTokens: [], leastShare: USUAL_SHARE }
}

export function clientCredentials(): LoadRequest {
  return form('/oidc/oauth/token', {
    grant_type: 'client_credentials',
    ...CLIENT,
    audience: AUDIENCE,
    scope: API_SCOPE,
  })
}

function refresh(): LoadRequest {
  const { body, ...rest } = form('/oidc/oauth/token', { grant_type: 'refresh_token', ...CLIENT })
  return { ...rest, body: `${body}&refresh_token={refresh}` }
}

function create(token: string, number: number): LoadRequest {
  const webhook = {
    url: 'https://partner.example/hooks/handover',
    events: ['shift.created'],
    facilities: [facilityId(number)],
  }
  return json(WEBHOOKS, token, webhook)
}

/** Nobody listens to it, so that nothing but the taking in is measured. */
function event(): LoadRequest {
  return json('/platform/v1/events', PLATFORM_KEY, {
    id: '{n}',
    environment: 'sandbox',
    type: 'shift.created',
    facilityId: QUIET_FACILITY,
    data: { shiftId: '{n}' },
  })
}

/** A wrong password costs what a right one does; another name and address each time, or the throttle would be measured. */
async function login(at: string, authorize: string): Promise<LoadRequest> {
  const browser = new WebClient()
  const page = await browser.open(at + authorize)
  const [shown] = formsOf(page)
  if (shown === undefined) throw new Error(`There is no form to sign in: ${page.status} ${page.text}`)
  const { interaction = '', csrf = '' } = shown.fields
  const { headers, ...rest } = form(pathOf(shown.action), { interaction, csrf, password: 'wrong' })
  return {
    ...rest,
    body: `${rest.body}&username=nobody{n}`,
    headers: { ...headers, ...fromSomewhere(), cookie: cookieOf(browser, at) },
  }
}

function fromSomewhere(): Record<string, string> {
  return { 'x-forwarded-for': '2001:db8::{n}', origin: 'null', 'sec-fetch-site': 'same-origin' }
}

async function integratorsCookie(at: string): Promise<string> {
  const browser = new WebClient()
  const answer = await browser.submit(await browser.open(`${at}/portal/sign-in`), {
    email: 'dev@example.com',
    password: PASSWORD,
  })
  if (answer.status !== 303) throw new Error(`The integrator cannot sign in: ${answer.status} ${answer.text}`)
  return cookieOf(browser, at)
}

function cookieOf(browser: WebClient, at: string): string {
  return browser
    .cookiesFor(at)
    .map(({ name, value }) => `${name}=${value}`)
    .join('; ')
}

function apiToken(at: string, number: number): Promise<string> {
  return accessToken(at, {
    grant_type: 'client_credentials',
    client_id: applicationId(number),
    client_secret: SECRET + number,
    audience: 'urn:handover:api:sandbox',
  })
}

async function accessToken(at: string, fields: Record<string, string>): Promise<string> {
  const answer = await fetch(`${at}/oidc/oauth/token`, { method: 'POST', body: new URLSearchParams(fields) })
  const text = await answer.text()
  const token = /"access_token":"([^"]+)"/.exec(text)?.[1]
  if (token === undefined) throw new Error(`There is no token: ${answer.status} ${text}`)
  return token
}

function get(path: string, headers: Record<string, string>): LoadRequest {
  return { method: 'GET', path, headers, body: '' }
}

function form(path: string, fields: Record<string, string>): LoadRequest {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  return { method: 'POST', path, headers, body: new URLSearchParams(fields).toString() }
}

function json(path: string, token: string, body: object): LoadRequest {
  const headers = { ...bearer(token), 'content-type': 'application/json' }
  return { method: 'POST', path, headers, body: JSON.stringify(body) }
}

function bearer(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` }
}

function pathOf(address: string): string {
  const { pathname, search } = new URL(address)
  return pathname + search
}
