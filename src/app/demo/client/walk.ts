import { createHash } from 'node:crypto'
import { newOpaqueSecret } from '../../../platform/opaque-secret.ts'
import type { Discovery } from './discovery.ts'
import type { Flow } from './flow.ts'
import { type ClientRequest, parametersOf } from './request.ts'
import type { Step } from './step.ts'

/** What was made up for one request to /authorize, to compare the answer with. */
export type Asked = { state: string; nonce: string; verifier: string | null }

export type Tokens = {
  idToken: string
  /** Of the ID token. */
  subject: string
  accessToken: string
  refreshToken: string | null
}

/** Where somebody stands. While a request is under way nothing else may begin: a code and a refresh token work once. */
export type Standing =
  | { at: 'asking'; asked: Asked }
  | { at: 'code'; code: string; asked: Asked | null }
  | { at: 'busy' }
  | { at: 'signed-in'; tokens: Tokens; logoutState: string }
  | { at: 'stopped' }

/** Somebody's way through one flow. It lives in the memory of this process, under a cookie. */
export type Walk = {
  flow: Flow
  discovery: Discovery
  /** Goes along with our own forms: no other page can press our buttons. */
  csrf: string
  steps: Step[]
  standing: Standing
}

/** Whoever renews tokens all day does not fill our memory. */
const MOST_STEPS = 12

export function addStep(walk: Walk, step: Step): void {
  walk.steps.push(step)
  walk.steps.splice(0, walk.steps.length - MOST_STEPS)
}

export function newWalk(flow: Flow, discovery: Discovery, first: Step, standing: Standing): Walk {
  return { flow, discovery, csrf: newOpaqueSecret(), steps: [first], standing }
}

export function newAsked({ pkce }: Flow): Asked {
  return { state: newOpaqueSecret(), nonce: newOpaqueSecret(), verifier: pkce ? newOpaqueSecret() : null }
}

/** Where the browser is sent to sign in. */
export function authorizeRequest({ flow, discovery }: Walk, { state, nonce, verifier }: Asked): ClientRequest {
  const parameters = parametersOf({
    response_type: flow.responseType,
    response_mode: flow.responseMode,
    client_id: flow.application.clientId,
    redirect_uri: flow.application.redirectUri,
    scope: flow.scope,
    audience: flow.audience,
    state,
    nonce,
    code_challenge: verifier && createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: verifier && 'S256',
  })
  return { method: 'GET', url: discovery.authorization_endpoint, headers: [], parameters }
}

/** By POST, so that the ID token stands in no address. */
export function logoutRequest({ flow, discovery }: Walk, tokens: Tokens, state: string, home: string): ClientRequest {
  const parameters = parametersOf({
    id_token_hint: tokens.idToken,
    client_id: flow.application.clientId,
    post_logout_redirect_uri: home,
    state,
  })
  return { method: 'POST', url: discovery.end_session_endpoint, headers: [], parameters }
}
