import assert from 'node:assert/strict'
import type { WebAnswer } from './web-client.ts'

const SCHEME = '[a-z][a-z0-9+.-]*:'
/** Ours is the only script and style sheet, and no text becomes markup or code (Trusted Types). */
const PAGE = new RegExp(
  `^default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' https: data:; connect-src 'self'; \
require-trusted-types-for 'script'; trusted-types 'none'; \
form-action 'self'(?: ${SCHEME})?; frame-ancestors 'none'; base-uri 'none'$`,
)
/** The page that posts itself to an application has one script, allowed by its hash. */
const FORM_POST = new RegExp(
  `^default-src 'none'; script-src 'sha256-[\\w+/]{43}='; style-src 'self'; img-src data:; \
form-action ${SCHEME}; frame-ancestors 'none'; base-uri 'none'$`,
)

/** What every HTML answer of ours says to the browser, whatever it is about. */
export function assertPageHeaders({ url, headers }: WebAnswer): void {
  assert.equal(headers.get('content-type'), 'text/html; charset=utf-8', url)
  const policy = headers.get('content-security-policy') ?? ''
  assert.ok(PAGE.test(policy) || FORM_POST.test(policy), `${url}: ${policy}`)
  assert.equal(headers.get('x-content-type-options'), 'nosniff', url)
  assert.equal(headers.get('referrer-policy'), 'no-referrer', url)
  assert.equal(headers.get('cache-control'), 'no-store', url)
  assert.equal(headers.get('x-frame-options'), 'DENY', url)
}
