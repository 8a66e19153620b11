import assert from 'node:assert/strict'
import type { Application } from '../../src/domain/applications/application.ts'
import { startTokenScene, type TestApplication, type TokenScene } from './token-scene.ts'
import { onlyForm, type WebAnswer, WebClient } from './web-client.ts'

export const CALLBACK = 'https://client.example/callback'
export const NURSE = 'nurse@example.com'
export const FACILITY = 'facility@example.com'

export type Parameters = Record<string, string | null>

/** What came to the application at its redirect URI, however it travelled. */
export type Arrival = { target: string; mode: 'query' | 'fragment' | 'form_post'; fields: Record<string, string> }

/** The service with what tests of /authorize need: applications with a callback, requests, and people who walk through. */
export type AuthorizeScene = TokenScene & {
  /** A web application with one callback, unless told otherwise. */
  client: (settings?: Partial<Application>) => Promise<TestApplication>
  /** A request for a code with a state; null leaves a parameter out. */
  address: (application: TestApplication, more?: Parameters) => string
  /** Opens the request and goes as far as a person need not be asked. */
  visit: (browser: WebClient, application: TestApplication, more?: Parameters) => Promise<WebAnswer>
  /** Signs in on the page that asks for it, and goes on. */
  signIn: (browser: WebClient, page: WebAnswer, login?: string, password?: string) => Promise<WebAnswer>
  /** A browser in which somebody is signed in. */
  signedIn: (login?: string) => Promise<WebClient>
  /** Through every page that asks, always saying yes, to what arrives at the application. */
  arrive: (browser: WebClient, application: TestApplication, more?: Parameters, login?: string) => Promise<Arrival>
}

export async function startAuthorizeScene(env: Record<string, string> = {}): Promise<AuthorizeScene> {
  const tokens = await startTokenScene(env)
  const home = await tokens.application({ redirectUris: [CALLBACK], firstParty: true })

  const scene: AuthorizeScene = {
    ...tokens,
    client: (settings = {}) => tokens.application({ redirectUris: [CALLBACK], ...settings }),

    address: ({ id }, more = {}) => {
      const fields = {
        client_id: id,
        response_type: 'code',
        redirect_uri: CALLBACK,
        state: 'st',
        scope: 'openid',
        ...more,
      }
      return `${tokens.url}/oidc/authorize?${query(fields)}`
    },

    visit: (browser, application, more = {}) => browser.open(scene.address(application, more)),

    signIn: (browser, page, login = NURSE, password = tokens.password) => {
      assert.equal(new URL(page.url).pathname, '/oidc/login', `${page.status} ${page.text}`)
      return browser.send(page, { username: login, password })
    },

    async signedIn(login = NURSE) {
      const browser = new WebClient()
      arrivalOf(await scene.signIn(browser, await scene.visit(browser, home), login))
      return browser
    },

    async arrive(browser, application, more = {}, login = NURSE) {
      let page = await scene.visit(browser, application, more)
      if (pathOf(page) === '/oidc/login') page = await scene.signIn(browser, page, login)
      if (pathOf(page) === '/oidc/select-account') page = await browser.send(page)
      if (pathOf(page) === '/oidc/consent') page = await browser.send(page, { decision: 'allow' })
      return arrivalOf(page)
    },
  }
  return scene
}

/** Which of our pages this is; empty when it is not one. */
export function pathOf({ url, status }: WebAnswer): string {
  return status === 200 ? new URL(url).pathname : ''
}

export function arrivalOf(answer: WebAnswer): Arrival {
  if (answer.location === null) {
    assert.match(answer.text, /<form method="post" action="(?!\/)/, `nothing arrives: ${answer.status} ${answer.text}`)
    const { action, fields } = onlyForm(answer)
    return { target: action, mode: 'form_post', fields }
  }
  assert.equal(answer.status, 302, 'RFC 6749 shows 302')
  const [target = '', fragment] = answer.location.split('#', 2)
  if (fragment !== undefined) return { target, mode: 'fragment', fields: fieldsOf(fragment) }
  const [before = '', sent = ''] = target.split('?', 2)
  return { target: before, mode: 'query', fields: fieldsOf(sent) }
}

/** An error that reached the application, with everything that decision B8 wants in it. */
export function assertErrorArrives(
  scene: AuthorizeScene,
  answer: WebAnswer,
  error: string,
  mode: Arrival['mode'] = 'query',
): Arrival {
  const arrival = arrivalOf(answer)
  assert.equal(arrival.fields['error'], error, JSON.stringify(arrival))
  assert.equal(arrival.mode, mode)
  assert.ok(arrival.fields['error_description'])
  assert.equal(arrival.fields['iss'], `${scene.url}/oidc`)
  for (const name of ['code', 'access_token', 'id_token']) assert.equal(arrival.fields[name], undefined)
  return arrival
}

/** A page for the person, before anything is proven: the code and the request id, and never a redirect (decision B8). */
export function assertErrorPage(answer: WebAnswer, code = 'invalid_request', status = 400): void {
  assert.equal(answer.status, status, answer.text)
  assert.equal(answer.location, null)
  assert.match(answer.headers.get('content-type') ?? '', /^text\/html/)
  assert.ok(answer.text.includes(`<code>${code}</code>`), answer.text)
  assert.ok(answer.text.includes(`<code>${answer.headers.get('x-request-id')}</code>`), answer.text)
}

/** Percent-encoded throughout, so that every character of a value is a parameter's and none is the query's. */
export function query(fields: Parameters): string {
  return Object.entries(fields)
    .flatMap(([name, value]) => (value === null ? [] : [`${encodeURIComponent(name)}=${encodeURIComponent(value)}`]))
    .join('&')
}

function fieldsOf(encoded: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(encoded))
}
