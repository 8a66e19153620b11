import { codeQuoted } from './quoted.ts'
import type { QuickValues } from './values.ts'

const PROOFS = {
  either: 'client.ClientSecretBasic(process.env.CLIENT_SECRET)',
  basic: 'client.ClientSecretBasic(process.env.CLIENT_SECRET)',
  post: 'client.ClientSecretPost(process.env.CLIENT_SECRET)',
  none: 'client.None()',
} as const

/** With openid-client, the library that the OpenID Foundation certified for Node. */
export function nodeSignIn({ application, issuer, redirectUri, scope, audience }: QuickValues): string {
  const isPlain = issuer.startsWith('http:')
  const proof = PROOFS[application.tokenEndpointAuthentication]
  return `import { createInterface } from 'node:readline/promises'
import * as client from 'openid-client'

const config = await client.discovery(
  new URL(${codeQuoted(issuer)}),
  ${codeQuoted(application.id)},
  undefined,
  ${proof},${isPlain ? '\n  { execute: [client.allowInsecureRequests] }, // http is for this machine only' : ''}
)

const verifier = client.randomPKCECodeVerifier()
const state = client.randomState()
const address = client.buildAuthorizationUrl(config, {
  redirect_uri: ${codeQuoted(redirectUri ?? '')},
  scope: ${codeQuoted(scope)},
  audience: ${codeQuoted(audience)},
  state,
  code_challenge: await client.calculatePKCECodeChallenge(verifier),
  code_challenge_method: 'S256',
})
console.log('Open this address and sign in:')
console.log(address.href)

// In a web application this is the address that your redirect URI was called with.
const terminal = createInterface({ input: process.stdin, output: process.stdout })
const came = await terminal.question('Where did the browser end? ')
terminal.close()

const tokens = await client.authorizationCodeGrant(config, new URL(came.trim()), {
  pkceCodeVerifier: verifier,
  expectedState: state,
})
console.log(tokens.claims())
console.log(await client.fetchUserInfo(config, tokens.access_token, tokens.claims().sub))`
}

/** Plain fetch, no package. */
export function nodeApi({ application, issuer, apiUrl, audience, environment }: QuickValues): string {
  const asPost = application.tokenEndpointAuthentication === 'post'
  const proof = asPost
    ? `  body: new URLSearchParams({
    grant_type: 'client_credentials',
    audience: ${codeQuoted(audience)},
    client_id: ${codeQuoted(application.id)},
    client_secret: process.env.CLIENT_SECRET,
  }),`
    : `  headers: { authorization: \`Basic \${btoa(\`${application.id}:\${process.env.CLIENT_SECRET}\`)}\` },
  body: new URLSearchParams({ grant_type: 'client_credentials', audience: ${codeQuoted(audience)} }),`
  const token = application.clientCredentials
    ? `const { access_token: token } = await call(${codeQuoted(`${issuer}/oauth/token`)}, {
  method: 'POST',
${proof}
})`
    : `// From a sign-in, as above.
const token = process.env.ACCESS_TOKEN`
  const event =
    environment === 'sandbox'
      ? `

// In sandbox you can make an event happen.
const { data: event } = await call(\`\${API}/sandbox/events\`, {
  method: 'POST',
  headers,
  body: JSON.stringify({ type: 'shift.created', facilityId: webhook.facilities[0], data: { shiftId: '4711' } }),
})
console.log(event)`
      : ''
  return `const API = ${codeQuoted(apiUrl)}

async function call(url, request) {
  const response = await fetch(url, request)
  const body = await response.json()
  if (!response.ok) throw new Error(\`\${response.status} \${JSON.stringify(body)}\`)
  return body
}

${token}
const headers = { authorization: \`Bearer \${token}\`, 'content-type': 'application/json' }

const { data: webhook } = await call(\`\${API}/webhooks/facility\`, {
  method: 'POST',
  headers,
  body: JSON.stringify({
    url: process.env.WEBHOOK_URL ?? 'https://example.com/handover',
    events: ['shift.created'],
    facilities: [],
    secrets: [],
  }),
})
console.log('registered', webhook.id) // webhook.secrets[0] is what you verify with: keep it${event}`
}

/** A server that takes webhooks. The library is the reference of Standard Webhooks. */
export const NODE_RECEIVER = `import { createServer } from 'node:http'
import { Webhook } from 'standardwebhooks'

const webhook = new Webhook(process.env.WEBHOOK_SECRET)

createServer(async (request, response) => {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  try {
    // The body as it came. Parsed and written again it is another text, and the signature does not fit.
    const event = webhook.verify(Buffer.concat(chunks).toString(), request.headers)
    console.log(event.type, event.id)
    response.writeHead(204).end()
  } catch (error) {
    console.error(error.message)
    response.writeHead(400).end()
  }
}).listen(Number(process.env.PORT ?? 8080))`
