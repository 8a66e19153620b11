import assert from 'node:assert/strict'
import { test } from 'node:test'
import { flowsOf } from './flow.ts'
import type { Step } from './step.ts'
import { addStep, newWalk } from './walk.ts'
import { createWalks, LONGEST_WALK_SECONDS } from './walks.ts'

const { pkce } = flowsOf({
  AUTH_URL: 'http://localhost:4000',
  API_AUDIENCE_SANDBOX: 'urn:sandbox',
  WEB_CLIENT_ID: 'app_1',
  WEB_CLIENT_SECRET: 'secret',
  WEB_REDIRECT_URI: 'http://localhost:4000/demo/client/callback',
  SPA_CLIENT_ID: 'app_2',
  SPA_REDIRECT_URI: 'http://localhost:4000/demo/client/spa',
  NURSE_EMAIL: 'nurse@example.com',
})
const endpoints = { authorization_endpoint: '', token_endpoint: '', userinfo_endpoint: '' }
const discovery = { issuer: '', ...endpoints, end_session_endpoint: '', jwks_uri: '' }
const request = { method: 'GET', url: '', headers: [], parameters: [] } as const
const step: Step = { title: '', lead: '', request, by: 'client', answer: null, tokens: [], checks: [] }

test('a hundred walks are kept, the newest ones, each for an hour', () => {
  let now = 0
  const walks = createWalks(() => now)
  const walk = newWalk(pkce, discovery, step, { at: 'stopped' })
  const [first = '', second = '', ...others] = Array.from({ length: 101 }, () => walks.keep(walk))
  assert.equal(walks.find(first), null)
  assert.equal(walks.find(null), null)
  assert.ok([second, ...others].every((id) => walks.find(id) === walk))
  walks.forget(second)
  assert.equal(walks.find(second), null)
  now = LONGEST_WALK_SECONDS * 1_000
  assert.ok(others.every((id) => walks.find(id) === null))
})

test('of a walk the latest twelve steps are kept', () => {
  const walk = newWalk(pkce, discovery, step, { at: 'stopped' })
  for (let number = 1; number <= 100; number += 1) addStep(walk, { ...step, title: String(number) })
  assert.equal(walk.steps.length, 12)
  assert.equal(walk.steps.at(-1)?.title, '100')
})
