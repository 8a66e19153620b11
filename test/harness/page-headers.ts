import assert from 'node:assert/strict'
import type { WebAnswer } from './web-client.ts'

/** What every HTML answer of ours says to the browser, whatever it is about. */
export function assertPageHeaders({ url, headers }: WebAnswer): void {
  assert.equal(headers.get('content-type'), 'text/html; charset=utf-8', url)
  const policy = headers.get('content-security-policy') ?? ''
  assert.match(policy, /^default-src 'none'; .*form-action .*frame-ancestors 'none'; base-uri 'none'$/, url)
  assert.doesNotMatch(policy, /unsafe|\*|,/, url)
  assert.equal(headers.get('x-content-type-options'), 'nosniff', url)
  assert.equal(headers.get('referrer-policy'), 'no-referrer', url)
  assert.equal(headers.get('cache-control'), 'no-store', url)
  assert.equal(headers.get('x-frame-options'), 'DENY', url)
}
