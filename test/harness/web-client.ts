import assert from 'node:assert/strict'
import { type PageForm, readForms } from './page-forms.ts'

/** A page, a redirect or whatever else came back. `location` is absolute; `url` is where the answer came from. */
export type WebAnswer = { url: string; status: number; headers: Headers; text: string; location: string | null }

export type FormFields = Record<string, string | null>

/**
 * A browser without its engine: it keeps cookies per origin, reads forms with their hidden fields and sends what Chromium
 * sends with them, and follows redirects only as far as it is told.
 */
export class WebClient {
  readonly #cookies = new Map<string, Map<string, string>>()

  /** One request; redirects are not followed. */
  async get(url: string, headers: Record<string, string> = {}): Promise<WebAnswer> {
    return this.#request(url, {}, headers)
  }

  /** A form as another site, or nobody's page at all, would post it. Fields that are null are left out. */
  async post(url: string, fields: FormFields, headers: Record<string, string> = {}): Promise<WebAnswer> {
    const sent = Object.entries(fields).flatMap<[string, string]>(([name, value]) =>
      value === null ? [] : [[name, value]],
    )
    return this.#request(url, { method: 'POST', body: new URLSearchParams(sent) }, headers)
  }

  /** GET, and on through redirects for as long as they stay at that origin: the last answer is a page or leaves. */
  async open(url: string): Promise<WebAnswer> {
    return this.follow(await this.get(url))
  }

  async follow(answer: WebAnswer): Promise<WebAnswer> {
    let last = answer
    for (let hops = 0; last.location !== null && originOf(last.location) === originOf(answer.url); hops += 1) {
      assert.ok(hops < 10, `redirected in a circle at ${last.location}`)
      last = await this.get(last.location)
    }
    return last
  }

  /** Fills in the page's form and posts it as a browser would; does not follow where it leads. */
  async submit(page: WebAnswer, fields: FormFields = {}, headers: Record<string, string> = {}): Promise<WebAnswer> {
    const form = onlyForm(page)
    return this.post(
      form.action,
      { ...form.fields, ...fields },
      // Our pages send no referrer, and then Chromium says that the origin is null.
      { origin: 'null', 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'navigate', ...headers },
    )
  }

  /** As `submit`, and on through redirects at the same origin. */
  async send(page: WebAnswer, fields: FormFields = {}): Promise<WebAnswer> {
    return this.follow(await this.submit(page, fields))
  }

  cookie(url: string, name: string): string | undefined {
    return this.#cookies.get(originOf(url))?.get(name)
  }

  /** All that it keeps for this address, as a browser with pages is given them. */
  cookiesFor(url: string): Array<{ name: string; value: string; url: string }> {
    return [...(this.#cookies.get(originOf(url)) ?? [])].map(([name, value]) => ({ name, value, url }))
  }

  setCookie(url: string, name: string, value: string): void {
    this.#jar(originOf(url)).set(name, value)
  }

  /** Another client with the same cookies, as they are now. */
  copy(): WebClient {
    const other = new WebClient()
    for (const [origin, jar] of this.#cookies) {
      for (const [name, value] of jar) other.setCookie(origin, name, value)
    }
    return other
  }

  async #request(url: string, init: RequestInit, headers: Record<string, string>): Promise<WebAnswer> {
    const jar = this.#jar(originOf(url))
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(url, {
      redirect: 'manual',
      ...init,
      headers: { accept: 'text/html,*/*', ...(cookie !== '' && { cookie }), ...headers },
    })
    for (const line of response.headers.getSetCookie()) keepCookie(jar, line)
    const location = response.headers.get('location')
    return {
      url,
      status: response.status,
      headers: response.headers,
      text: await response.text(),
      location: location === null ? null : new URL(location, url).href,
    }
  }

  #jar(origin: string): Map<string, string> {
    const jar = this.#cookies.get(origin) ?? new Map<string, string>()
    this.#cookies.set(origin, jar)
    return jar
  }
}

/** The page's only form; a test that meets another number of them looks at the wrong page. */
export function onlyForm(page: WebAnswer): PageForm {
  const [form, ...others] = formsOf(page)
  assert.ok(
    form !== undefined && others.length === 0,
    `not exactly one form at ${page.url}: ${page.status} ${page.text}`,
  )
  return form
}

export function formsOf(page: WebAnswer): PageForm[] {
  return readForms(page.text, page.url)
}

function keepCookie(jar: Map<string, string>, line: string): void {
  const [pair = '', ...attributes] = line.split(';').map((part) => part.trim())
  const name = pair.slice(0, pair.indexOf('='))
  if (attributes.some((attribute) => attribute.toLowerCase() === 'max-age=0')) jar.delete(name)
  else jar.set(name, pair.slice(name.length + 1))
}

function originOf(url: string): string {
  const { protocol, host } = new URL(url)
  return `${protocol}//${host}`
}
