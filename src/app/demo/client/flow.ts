/** What it is told, under the names of data/demo.env. */
export type ClientValues = Readonly<
  Record<
    | 'AUTH_URL'
    | 'API_AUDIENCE_SANDBOX'
    | 'WEB_CLIENT_ID'
    | 'WEB_CLIENT_SECRET'
    | 'WEB_REDIRECT_URI'
    | 'SPA_CLIENT_ID'
    | 'SPA_REDIRECT_URI'
    | 'NURSE_EMAIL',
    string
  >
>

/** The ways to tokens that can be walked through. */
export const FLOWS = ['pkce', 'secret', 'form-post', 'fragment'] as const

export type FlowName = (typeof FLOWS)[number]

/** What an integrator got from the portal for one application; the name of its secret in data/demo.env goes with it. */
export type Registered = {
  clientId: string
  clientIdName: string
  secret: { name: string; value: string } | null
  redirectUri: string
  redirectUriName: string
}

export type Flow = {
  name: FlowName
  title: string
  lead: string
  application: Registered
  responseType: 'code' | 'token id_token'
  /** Null: as it is by default. */
  responseMode: 'form_post' | 'fragment' | null
  scope: string
  /** Of the API that the access token is for; null: userinfo only. */
  audience: string | null
  pkce: boolean
}

const PERSON_SCOPE = 'openid profile email role'
const API_SCOPE = `${PERSON_SCOPE} marketplace:read offline_access`

export function flowsOf(values: ClientValues): Record<FlowName, Flow> {
  const web: Registered = {
    clientId: values.WEB_CLIENT_ID,
    clientIdName: 'WEB_CLIENT_ID',
    secret: { name: 'WEB_CLIENT_SECRET', value: values.WEB_CLIENT_SECRET },
    redirectUri: values.WEB_REDIRECT_URI,
    redirectUriName: 'WEB_REDIRECT_URI',
  }
  const spa: Registered = {
    clientId: values.SPA_CLIENT_ID,
    clientIdName: 'SPA_CLIENT_ID',
    secret: null,
    redirectUri: values.SPA_REDIRECT_URI,
    redirectUriName: 'SPA_REDIRECT_URI',
  }
  const code = { responseType: 'code', responseMode: null, scope: API_SCOPE, audience: values.API_AUDIENCE_SANDBOX }
  const implicit = { responseType: 'token id_token', scope: PERSON_SCOPE, audience: null, pkce: false }
  return {
    pkce: {
      ...code,
      responseType: 'code',
      name: 'pkce',
      title: 'Code with PKCE',
      lead: 'For applications in the browser and on phones, which can keep no secret. The right choice for most.',
      application: spa,
      pkce: true,
    },
    secret: {
      ...code,
      responseType: 'code',
      name: 'secret',
      title: 'Code with a client secret',
      lead: 'For applications with a server of their own, which keeps the secret.',
      application: web,
      pkce: false,
    },
    'form-post': {
      ...implicit,
      responseType: 'token id_token',
      name: 'form-post',
      title: 'Implicit, by form_post',
      lead: 'Tokens straight from /authorize, posted by the browser. Discouraged: take PKCE when you need an access token.',
      application: spa,
      responseMode: 'form_post',
    },
    fragment: {
      ...implicit,
      responseType: 'token id_token',
      name: 'fragment',
      title: 'Implicit, in the fragment',
      lead: 'The same behind the # of an address, which no server sees. Discouraged as well.',
      application: spa,
      responseMode: 'fragment',
    },
  }
}
