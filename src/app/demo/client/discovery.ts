import { ask, textIn } from './ask.ts'
import type { ClientRequest } from './request.ts'
import { check, type Step } from './step.ts'

/** Where everything is, by the server's own words (OpenID Connect Discovery). */
export type Discovery = {
  issuer: string
  authorization_endpoint: string
  token_endpoint: string
  userinfo_endpoint: string
  end_session_endpoint: string
  jwks_uri: string
}

/** A client is told one address; every other it asks for. Null when there is no answer that is of use. */
export async function discover(issuer: string): Promise<{ discovery: Discovery; step: Step } | null> {
  const url = `${issuer}/.well-known/openid-configuration`
  const request: ClientRequest = { method: 'GET', url, headers: [], parameters: [] }
  const answer = await ask(request)
  if (answer === null) return null
  const read = (name: keyof Discovery) => textIn(answer.fields, name) ?? ''
  const discovery: Discovery = {
    issuer: read('issuer'),
    authorization_endpoint: read('authorization_endpoint'),
    token_endpoint: read('token_endpoint'),
    userinfo_endpoint: read('userinfo_endpoint'),
    end_session_endpoint: read('end_session_endpoint'),
    jwks_uri: read('jwks_uri'),
  }
  // Another issuer than the one that was asked: whatever else it says is not to be believed (Discovery 4.3).
  if (discovery.issuer !== issuer || Object.values(discovery).includes('')) return null
  const step: Step = {
    title: 'Ask where everything is',
    lead: 'A client is told one address, the issuer. Every other stands in the discovery document, which libraries read for you.',
    request,
    by: 'client',
    answer: { status: answer.status, text: `${JSON.stringify(discovery, null, 2).slice(0, -2)},\n  …\n}` },
    tokens: [],
    checks: [check('issuer', true, 'It is the issuer that was asked.')],
  }
  return { discovery, step }
}
