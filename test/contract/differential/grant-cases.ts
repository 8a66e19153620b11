import { createHash } from 'node:crypto'
import { textOf } from '../../harness/answer.ts'
import { CALLBACK, type ClientName, type CodeRequest, outcome, type Side, send } from './side.ts'

/** The same requests for both servers; what comes back, step by step. */
export type Case = (side: Side) => Promise<string[]>

const VERIFIER = 'a-verifier-of-forty-three-characters-or-more-0'
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url')
const GRANT = { grant_type: 'authorization_code', redirect_uri: CALLBACK }

type Exchange = { by?: ClientName; fields?: Record<string, string | null> }

/** One code, presented as often as there are exchanges. */
function codeCase(request: CodeRequest, ...exchanges: Exchange[]): Case {
  return async (side) => {
    const code = await side.code(request)
    const outcomes: string[] = []
    for (const { by = request.client, fields = {} } of exchanges) {
      outcomes.push(outcome(await send(side, { client: by, fields: { ...GRANT, code, ...fields } })))
    }
    return outcomes
  }
}

const web: CodeRequest = { client: 'web' }
const spa: CodeRequest = { client: 'spa', challenge: CHALLENGE }
const verified = { code_verifier: VERIFIER }

export const CODE_CASES: Record<string, Case> = {
  'code: exchanged with the secret in the body': codeCase(web, {}),
  'code: exchanged with HTTP Basic': async (side) => [
    outcome(await send(side, { client: 'web', as: 'basic', fields: { ...GRANT, code: await side.code(web) } })),
  ],
  'code: used twice': codeCase(web, {}, {}),
  'code: used twice, then the refresh token that it gave': async (side) => {
    const fields = { ...GRANT, code: await side.code(web) }
    const first = await send(side, { client: 'web', fields })
    const again = await send(side, { client: 'web', fields })
    const refresh = { grant_type: 'refresh_token', refresh_token: textOf(first, 'refresh_token') }
    return [first, again, await send(side, { client: 'web', fields: refresh })].map(outcome)
  },
  'code: unknown': codeCase(web, { fields: { code: 'unknown' } }),
  'code: left out': codeCase(web, { fields: { code: null } }),
  'code: empty': codeCase(web, { fields: { code: '' } }),
  'code: of another client, then by its own': codeCase(web, { by: 'otherWeb' }, {}),
  'code: of a client without a secret, presented by one with': codeCase(spa, { by: 'web', fields: verified }),
  'code: by a client for whom the grant is not enabled': async (side) => [
    outcome(await send(side, { client: 'machine', fields: { ...GRANT, code: 'unknown' } })),
  ],
  'redirect_uri: different': codeCase(web, { fields: { redirect_uri: 'https://client.example/other' } }),
  'redirect_uri: different, then right': codeCase(web, { fields: { redirect_uri: `${CALLBACK}2` } }, {}),
  'redirect_uri: different in case': codeCase(web, { fields: { redirect_uri: 'https://CLIENT.example/callback' } }),
  'redirect_uri: with a slash more': codeCase(web, { fields: { redirect_uri: `${CALLBACK}/` } }),
  'redirect_uri: with a query more': codeCase(web, { fields: { redirect_uri: `${CALLBACK}?a=b` } }),
  'redirect_uri: sent to /authorize, left out here': codeCase(web, { fields: { redirect_uri: null } }),
  'redirect_uri: left out both times': codeCase(
    { ...web, redirectUri: 'left out' },
    { fields: { redirect_uri: null } },
  ),
  'redirect_uri: left out at /authorize, the registered one here': codeCase({ ...web, redirectUri: 'left out' }, {}),
  'redirect_uri: left out at /authorize, another one here': codeCase(
    { ...web, redirectUri: 'left out' },
    { fields: { redirect_uri: 'https://client.example/other' } },
  ),
  'PKCE: without a secret': codeCase(spa, { fields: verified }),
  'PKCE: with a secret too': codeCase({ ...web, challenge: CHALLENGE }, { fields: verified }),
  'PKCE: wrong verifier, then the right one': codeCase(
    spa,
    { fields: { code_verifier: VERIFIER.replace('0', '1') } },
    { fields: verified },
  ),
  'PKCE: verifier left out': codeCase(spa, {}),
  'PKCE: verifier left out, with a secret': codeCase({ ...web, challenge: CHALLENGE }, {}),
  'PKCE: a verifier without a challenge': codeCase(web, { fields: verified }),
  'PKCE: verifier too short': codeCase(spa, { fields: { code_verifier: 'short' } }),
  'PKCE: verifier with characters that are not allowed': codeCase(spa, {
    fields: { code_verifier: VERIFIER.replace('0', '!') },
  }),
  'PKCE: the challenge as the verifier': codeCase(spa, { fields: { code_verifier: CHALLENGE } }),
}

type Refresh = { by?: ClientName; token?: 'first' | 'last'; scope?: string }

/** A family, and one refresh after the other, each with the newest token unless it says `first`. */
function refreshCase(request: CodeRequest, ...refreshes: Refresh[]): Case {
  return async (side) => {
    const proof = request.challenge === undefined ? {} : verified
    const code = await side.code(request)
    const tokens = await send(side, { client: request.client, fields: { ...GRANT, code, ...proof } })
    const first = textOf(tokens, 'refresh_token')
    let last = first
    const outcomes: string[] = []
    for (const { by = request.client, token = 'last', scope = null } of refreshes) {
      const fields = { grant_type: 'refresh_token', refresh_token: token === 'first' ? first : last, scope }
      const answer = await send(side, { client: by, fields })
      if (answer.status === 200) last = textOf(answer, 'refresh_token')
      outcomes.push(outcome(answer))
    }
    return outcomes
  }
}

export const REFRESH_CASES: Record<string, Case> = {
  'refresh: three times': refreshCase(web, {}, {}, {}),
  'refresh: without a secret': refreshCase(spa, {}, {}),
  'refresh: reuse ends the family': refreshCase(web, {}, { token: 'first' }, {}),
  'refresh: reuse of one without a secret ends the family': refreshCase(spa, {}, { token: 'first' }, {}),
  'refresh: by another client, then by its own': refreshCase(web, { by: 'otherWeb' }, {}),
  'refresh: less scope, then all of it': refreshCase(web, { scope: 'openid' }, { scope: 'openid email' }),
  'refresh: the same scope in another order': refreshCase(web, { scope: 'offline_access email openid' }),
  'refresh: more scope, then the same': refreshCase(web, { scope: 'openid marketplace:read' }, {}),
  'refresh: a scope that nobody knows': refreshCase(web, { scope: 'openid nonsense' }),
  'refresh: scope with a quotation mark': refreshCase(web, { scope: 'openid "' }),
  'refresh: more scope with a used token': refreshCase(web, {}, { token: 'first', scope: 'marketplace:read' }, {}),
  'refresh: unknown token': async (side) => [
    outcome(await send(side, { client: 'web', fields: { grant_type: 'refresh_token', refresh_token: 'unknown' } })),
  ],
  'refresh: token left out': async (side) => [
    outcome(await send(side, { client: 'web', fields: { grant_type: 'refresh_token' } })),
  ],
  'refresh: an access token instead': async (side) => {
    const tokens = await send(side, { client: 'web', fields: { ...GRANT, code: await side.code(web) } })
    const fields = { grant_type: 'refresh_token', refresh_token: textOf(tokens, 'access_token') }
    return [outcome(await send(side, { client: 'web', fields }))]
  },
  'refresh: wrong secret, then the right one': async (side) => {
    const tokens = await send(side, { client: 'web', fields: { ...GRANT, code: await side.code(web) } })
    const fields = { grant_type: 'refresh_token', refresh_token: textOf(tokens, 'refresh_token') }
    const wrong = await send(side, { client: 'web', fields: { ...fields, client_secret: 'wrong' } })
    return [wrong, await send(side, { client: 'web', fields })].map(outcome)
  },
}
