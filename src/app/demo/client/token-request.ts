import type { Registered } from './flow.ts'
import { type ClientRequest, type Parameter, parametersOf } from './request.ts'
import type { Asked, Walk } from './walk.ts'

/** The secret goes into the form (client_secret_post); Basic would do as well. */
function tokenRequest({ discovery, flow }: Walk, parameters: readonly Parameter[]): ClientRequest {
  return {
    method: 'POST',
    url: discovery.token_endpoint,
    headers: [],
    parameters: [...parameters, ...proofOf(flow.application)],
  }
}

function proofOf({ clientId, secret }: Registered): Parameter[] {
  return [
    { name: 'client_id', value: clientId },
    ...(secret === null ? [] : [{ name: 'client_secret', value: secret.value, shown: `$${secret.name}` }]),
  ]
}

export function codeRequest(walk: Walk, code: string, asked: Asked | null): ClientRequest {
  return tokenRequest(
    walk,
    parametersOf({
      grant_type: 'authorization_code',
      code,
      redirect_uri: walk.flow.application.redirectUri,
      code_verifier: asked?.verifier ?? null,
    }),
  )
}

export function refreshRequest(walk: Walk, refreshToken: string): ClientRequest {
  return tokenRequest(walk, parametersOf({ grant_type: 'refresh_token', refresh_token: refreshToken }))
}

/** The same by hand, for a shell in the folder of data/demo.env. What comes from requests is quoted. */
export function codeInShell({ flow }: Walk, code: string, asked: Asked | null): string {
  const { clientIdName, secret, redirectUriName } = flow.application
  const proof = secret === null ? '' : ` -d client_secret=$${secret.name}`
  const verifier = asked?.verifier ? ` \\\n  -d code_verifier=${asked.verifier}` : ''
  return `. data/demo.env
curl -s $AUTH_URL/oidc/oauth/token -d grant_type=authorization_code \\
  --data-urlencode ${shellQuoted(`code=${code}`)} \\
  -d redirect_uri=$${redirectUriName}${verifier} \\
  -d client_id=$${clientIdName}${proof}`
}

function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
