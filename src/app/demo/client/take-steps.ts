import { ask, textIn } from './ask.ts'
import type { ClientRequest } from './request.ts'
import { type Check, check, type Step } from './step.ts'
import { takeTokens } from './take-tokens.ts'
import { codeRequest, refreshRequest } from './token-request.ts'
import { addStep, type Standing, type Walk } from './walk.ts'

// Steps that the client takes by itself, each behind a button. A step that does not fit where somebody stands does nothing:
// a button that was pressed twice must not spend a code twice.

export async function exchangeCode(walk: Walk): Promise<void> {
  const { standing } = walk
  if (standing.at !== 'code') return
  walk.standing = { at: 'busy' }
  const { code, asked } = standing
  await askForTokens(walk, {
    request: codeRequest(walk, code, asked),
    title: 'Exchange the code for tokens',
    lead: 'From server to server: nothing of it passes through the browser. A code is good for a minute and works once.',
    nonce: asked?.nonce ?? null,
    subject: null,
    refreshToken: null,
    otherwise: standing,
  })
}

export async function renewTokens(walk: Walk): Promise<void> {
  const { standing } = walk
  if (standing.at !== 'signed-in' || standing.tokens.refreshToken === null) return
  walk.standing = { at: 'busy' }
  const { refreshToken, subject } = standing.tokens
  await askForTokens(walk, {
    request: refreshRequest(walk, refreshToken),
    title: 'Renew the tokens',
    lead: 'Without the person. The refresh token that was used works no more, and another came in its place: keep the newest, and send one request at a time.',
    nonce: null,
    subject,
    refreshToken,
    otherwise: standing,
  })
}

type TokenStep = {
  request: ClientRequest
  title: string
  lead: string
  nonce: string | null
  subject: string | null
  refreshToken: string | null
  /** Where somebody still stands when nobody answered. */
  otherwise: Standing
}

async function askForTokens(walk: Walk, wanted: TokenStep): Promise<void> {
  const { request, title, lead, nonce, subject, refreshToken, otherwise } = wanted
  const answer = await ask(request)
  const step: Step = { title, lead, request, by: 'client', answer, tokens: [], checks: [] }
  if (answer === null) {
    addStep(walk, { ...step, checks: [NO_ANSWER] })
    walk.standing = otherwise
    return
  }
  if (answer.status !== 200) {
    addStep(walk, { ...step, checks: [refusal(answer.fields)] })
    walk.standing = { at: 'stopped' }
    return
  }
  const { clientId } = walk.flow.application
  const expected = { discovery: walk.discovery, clientId, nonce, subject, accessToken: null }
  const taken = await takeTokens(answer.fields, expected, { checks: [], refreshToken })
  addStep(walk, { ...step, tokens: taken.tokens, checks: taken.checks })
  walk.standing = taken.standing
}

export async function askUserinfo(walk: Walk): Promise<void> {
  const { standing } = walk
  if (standing.at !== 'signed-in') return
  walk.standing = { at: 'busy' }
  const { accessToken, subject } = standing.tokens
  const request: ClientRequest = {
    method: 'GET',
    url: walk.discovery.userinfo_endpoint,
    headers: [{ name: 'authorization', value: `Bearer ${accessToken}`, shown: 'Bearer, and the access token' }],
    parameters: [],
  }
  const answer = await ask(request)
  addStep(walk, {
    title: 'Ask who it is',
    lead: 'Userinfo has the claims that the scope opens, as they are now: the same as in the ID token.',
    request,
    by: 'client',
    answer,
    tokens: [],
    checks: answer === null ? [NO_ANSWER] : [samePerson(answer.status, textIn(answer.fields, 'sub'), subject)],
  })
  walk.standing = standing
}

const NO_ANSWER: Check = check('answer', false, 'Nobody answered. Try again.')

function samePerson(status: number, sub: string | null, subject: string): Check {
  return check(
    'sub',
    status === 200 && sub === subject,
    'The same person as in the ID token.',
    'Not who signed in: stop.',
  )
}

function refusal(fields: Readonly<Record<string, unknown>>): Check {
  const description = textIn(fields, 'error_description') ?? ''
  return check('error', false, `${textIn(fields, 'error') ?? 'No tokens came'}. ${description}`)
}
