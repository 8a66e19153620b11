import { type AuthorizeAnswer, checkAnswer } from './check-answer.ts'
import { type ClientRequest, parametersOf } from './request.ts'
import { allPassed, type Check, check, type Step } from './step.ts'
import { takeTokens } from './take-tokens.ts'
import { type Asked, addStep, authorizeRequest, type Walk } from './walk.ts'

/** How the answer came to us. */
export type Arrival = { method: 'GET' | 'POST'; at: string; fragment: boolean; answer: AuthorizeAnswer }

/**
 * The browser is back. `asked` is null when nothing in this browser asked: whoever built the address by hand may still see
 * what is in the answer, and exchange a code.
 */
export async function takeAnswer(walk: Walk, asked: Asked | null, arrival: Arrival): Promise<void> {
  const { answer } = arrival
  if (asked !== null) addStep(walk, sentAway(walk, asked))
  const checks = checkAnswer(answer, asked, walk.discovery.issuer)
  const step = (more: Partial<Step>): Step => ({
    title: 'The answer comes back',
    lead: leadOf(arrival),
    request: requestOf(arrival),
    by: 'browser-back',
    answer: null,
    tokens: [],
    checks,
    ...more,
  })
  if (answer['error'] !== undefined) return stop(walk, step({ checks: [...checks, refusal(answer)] }))
  if (asked !== null && !allPassed({ checks })) return stop(walk, step({}))

  const code = answer['code']
  if (code !== undefined) {
    addStep(walk, step({}))
    walk.standing = { at: 'code', code, asked }
    return
  }
  const { clientId } = walk.flow.application
  const taken = await takeTokens(
    answer,
    {
      discovery: walk.discovery,
      clientId,
      nonce: asked?.nonce ?? null,
      subject: null,
      accessToken: answer['access_token'] ?? null,
    },
    { checks, refreshToken: null },
  )
  addStep(walk, step({ tokens: taken.tokens, checks: taken.checks }))
  walk.standing = taken.standing
}

function sentAway(walk: Walk, asked: Asked): Step {
  return {
    title: 'Send the browser to sign in',
    lead: 'The person signs in and allows it at the identity server. Your application never sees a password.',
    request: authorizeRequest(walk, asked),
    by: 'browser-away',
    answer: null,
    tokens: [],
    checks: [],
  }
}

function stop(walk: Walk, step: Step): void {
  addStep(walk, step)
  walk.standing = { at: 'stopped' }
}

function refusal({ error = '', error_description: description = '' }: AuthorizeAnswer): Check {
  return check('error', false, `${error}${description === '' ? '' : `: ${description}`}`)
}

function leadOf({ method, fragment, answer }: Arrival): string {
  if (fragment)
    return 'It stood behind the # of the address. A script of the page read it there, and sent it on so that you can see it here.'
  if (method === 'POST')
    return 'The browser posted a form to the redirect URI. If your application is at another site than the identity server, cookies with SameSite=Lax do not come along: find the request by its state.'
  return answer['code'] === undefined
    ? 'The browser was sent to the redirect URI.'
    : 'The browser was sent to the redirect URI. A code is worth nothing by itself, but get it out of the address all the same: this page was reached by one more redirect.'
}

function requestOf({ method, at, answer }: Arrival): ClientRequest {
  return { method, url: at, headers: [], parameters: parametersOf(answer) }
}
