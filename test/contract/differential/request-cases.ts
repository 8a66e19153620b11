import { ask, formOf, textOf } from '../../harness/answer.ts'
import type { Case } from './grant-cases.ts'
import { AUDIENCE, basic, CALLBACK, type FormRequest, outcome, type Side, send } from './side.ts'

// Ours calls the API `audience`, the peer `resource` (RFC 8707); both get both.
const MACHINE = { grant_type: 'client_credentials', audience: AUDIENCE, resource: AUDIENCE }
const REFRESH = { grant_type: 'refresh_token', refresh_token: 'unknown' }

function one(request: FormRequest): Case {
  return async (side) => [outcome(await send(side, request))]
}

/** A body as it is, by a client that proves itself in it. */
function raw(body: (side: Side) => string, contentType = 'application/x-www-form-urlencoded'): Case {
  return async (side) => {
    const headers = { 'content-type': contentType }
    return [outcome(await ask(side.endpoints.token, { method: 'POST', headers, body: body(side) }))]
  }
}

const webIn = (side: Side) => ({ client_id: side.clients.web.id, client_secret: side.clients.web.secret })
const withWeb = (side: Side, more: string) => `${formOf({ ...webIn(side), ...REFRESH }).toString()}&${more}`

export const CLIENT_CASES: Record<string, Case> = {
  'client: unknown': one({ fields: { ...REFRESH, client_id: 'unknown', client_secret: 'x' } }),
  'client: unknown, without a secret': one({ fields: { ...REFRESH, client_id: 'unknown' } }),
  'client: wrong secret in the body': one({ client: 'web', fields: { ...REFRESH, client_secret: 'wrong' } }),
  'client: wrong secret by Basic': async (side) => [
    outcome(await send(side, { fields: REFRESH, headers: { authorization: basic(side.clients.web.id, 'wrong') } })),
  ],
  'client: no secret where one is needed': one({ client: 'web', fields: { ...REFRESH, client_secret: null } }),
  'client: empty secret': one({ client: 'web', fields: { ...REFRESH, client_secret: '' } }),
  'client: a secret where there is none': one({ client: 'spa', fields: { ...REFRESH, client_secret: 'x' } }),
  'client: nobody': one({ fields: REFRESH }),
  'client: nobody, and no such grant': one({ fields: { grant_type: 'nonsense' } }),
  'client: Basic and a secret in the body': one({
    client: 'web',
    as: 'basic',
    fields: { ...REFRESH, client_secret: 'x' },
  }),
  'client: Basic and the same client_id': async (side) => [
    outcome(await send(side, { client: 'web', as: 'basic', fields: { ...REFRESH, client_id: side.clients.web.id } })),
  ],
  'client: Basic and another client_id': one({
    client: 'web',
    as: 'basic',
    fields: { ...REFRESH, client_id: 'other' },
  }),
  'client: Basic without a colon': one({ fields: REFRESH, headers: { authorization: 'Basic YWJj' } }),
  'client: Basic that is not base64': one({ fields: REFRESH, headers: { authorization: 'Basic ???' } }),
  'client: Basic with an empty secret': one({ fields: REFRESH, headers: { authorization: basic('web', '') } }),
  'client: another scheme': one({ fields: REFRESH, headers: { authorization: 'Bearer abc' } }),
  'client: secret in the query': async (side) => {
    const url = `${side.endpoints.token}?client_secret=${side.clients.web.secret}`
    return [outcome(await ask(url, { method: 'POST', body: formOf({ ...REFRESH, client_id: side.clients.web.id }) }))]
  },
}

export const REQUEST_CASES: Record<string, Case> = {
  'grant_type: left out': one({ client: 'web', fields: {} }),
  'grant_type: empty': one({ client: 'web', fields: { grant_type: '' } }),
  'grant_type: unknown': one({ client: 'web', fields: { grant_type: 'nonsense' } }),
  'grant_type: code': one({ client: 'web', fields: { grant_type: 'code', code: 'x' } }),
  'grant_type: implicit': one({ client: 'web', fields: { grant_type: 'implicit' } }),
  'grant_type: in another case': one({ client: 'web', fields: { ...REFRESH, grant_type: 'Refresh_Token' } }),
  'client_credentials: enabled': one({ client: 'machine', fields: MACHINE }),
  'client_credentials: by Basic': one({ client: 'machine', as: 'basic', fields: MACHINE }),
  'client_credentials: not enabled': one({ client: 'notEnabled', fields: MACHINE }),
  'client_credentials: without a secret': one({ client: 'spa', fields: MACHINE }),
  'client_credentials: an API that nobody knows': one({
    client: 'machine',
    fields: { ...MACHINE, audience: 'urn:nowhere', resource: 'urn:nowhere' },
  }),
  'client_credentials: no API': one({ client: 'machine', fields: { grant_type: 'client_credentials' } }),
  'client_credentials: with its scope': one({ client: 'machine', fields: { ...MACHINE, scope: 'marketplace:read' } }),
  'client_credentials: with a scope that nobody knows': one({
    client: 'machine',
    fields: { ...MACHINE, scope: 'nonsense' },
  }),
  'form: grant_type twice': raw((side) => withWeb(side, 'grant_type=refresh_token')),
  'form: client_id twice': raw((side) => withWeb(side, `client_id=${side.clients.web.id}`)),
  'form: refresh_token twice': raw((side) => withWeb(side, 'refresh_token=other')),
  'form: a parameter that nobody knows': raw((side) => withWeb(side, 'nonsense=1')),
  'form: a parameter that nobody knows, twice': raw((side) => withWeb(side, 'nonsense=1&nonsense=2')),
  'form: empty body': raw(() => ''),
  'form: broken percent-encoding': raw((side) => withWeb(side, 'scope=%zz')),
  'form: bytes that are not UTF-8': raw((side) => withWeb(side, 'scope=%ff')),
  'form: NUL': raw((side) => withWeb(side, 'scope=%00')),
  'form: with a charset': raw((side) => withWeb(side, ''), 'application/x-www-form-urlencoded; charset=utf-8'),
  'form: JSON instead': raw((side) => JSON.stringify({ ...webIn(side), ...REFRESH }), 'application/json'),
  'form: too large': raw((side) => withWeb(side, `scope=${'a'.repeat(100_000)}`)),
  'method: GET': async (side) => [outcome(await ask(side.endpoints.token))],
}

/** An access token of the person, one of the machine itself, and questions about them. */
function about(to: 'introspect' | 'revoke', by: FormRequest['client'], token: 'own' | 'unknown' | 'none'): Case {
  return async (side) => {
    const code = await side.code({ client: 'web' })
    const grant = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK }
    const tokens = await send(side, { client: 'web', fields: grant })
    const value = token === 'own' ? textOf(tokens, 'refresh_token') : token === 'unknown' ? 'unknown' : null
    const answer = await send(side, { ...(by && { client: by }), to, fields: { token: value } })
    const after = await send(side, {
      client: 'web',
      fields: { grant_type: 'refresh_token', refresh_token: textOf(tokens, 'refresh_token') },
    })
    return [answer, after].map(outcome)
  }
}

export const TOKEN_CASES: Record<string, Case> = {
  'introspect: own token': about('introspect', 'web', 'own'),
  'introspect: token of another': about('introspect', 'otherWeb', 'own'),
  'introspect: token of another, without a secret': about('introspect', 'spa', 'own'),
  'introspect: unknown token': about('introspect', 'web', 'unknown'),
  'introspect: no token': about('introspect', 'web', 'none'),
  'introspect: nobody asks': about('introspect', undefined, 'own'),
  'revoke: own token': about('revoke', 'web', 'own'),
  'revoke: token of another': about('revoke', 'otherWeb', 'own'),
  'revoke: token of another, without a secret': about('revoke', 'spa', 'own'),
  'revoke: unknown token': about('revoke', 'web', 'unknown'),
  'revoke: no token': about('revoke', 'web', 'none'),
  'revoke: nobody asks': about('revoke', undefined, 'own'),
  'userinfo: no token': async (side) => [outcome(await ask(side.endpoints.userinfo))],
  'userinfo: a token that is none': async (side) => [
    outcome(await ask(side.endpoints.userinfo, { headers: { authorization: 'Bearer nonsense' } })),
  ],
  'userinfo: the token of a machine': async (side) => {
    const tokens = await send(side, { client: 'machine', fields: MACHINE })
    const headers = { authorization: `Bearer ${textOf(tokens, 'access_token')}` }
    return [outcome(await ask(side.endpoints.userinfo, { headers }))]
  },
  'userinfo: a token without openid': async (side) => {
    const code = await side.code({ client: 'web', scope: 'email' })
    const grant = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK }
    const tokens = await send(side, { client: 'web', fields: grant })
    const headers = { authorization: `Bearer ${textOf(tokens, 'access_token')}` }
    return [outcome(await ask(side.endpoints.userinfo, { headers }))]
  },
}
