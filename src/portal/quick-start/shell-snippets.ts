import { shellQuoted } from './quoted.ts'
import { hasSecret, type QuickValues } from './values.ts'

// Bash and zsh, with curl, sed and openssl, which are everywhere. Whatever asks for something stands on a line of its own, or
// it would read the line that was pasted after it.

export function prepareShell({ application }: QuickValues): string {
  return `CLIENT_ID=${shellQuoted(application.id)}
pick() { sed -nE "s/.*\\"$1\\":\\"([^\\"]*)\\".*/\\1/p"; }`
}

export const ASK_FOR_SECRET = "printf 'Client secret: '; read -rs CLIENT_SECRET; export CLIENT_SECRET"

export const ASK_FOR_LOGIN = "printf 'E-mail: '; read -r LOGIN; printf 'Password: '; read -rs PASSWORD"

export const ASK_FOR_CODE = "printf 'Code: '; read -r CODE"

/** PKCE for every kind of application: it costs two lines, and a code that is stolen is worth nothing (decision B9). */
export function openSignIn(values: QuickValues & { redirectUri: string }): string {
  const { application, issuer, redirectUri, scope, audience } = values
  const query = Object.entries({
    response_type: 'code',
    client_id: application.id,
    redirect_uri: redirectUri,
    scope,
    audience,
    code_challenge_method: 'S256',
  }).map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
  return `CODE_VERIFIER=$(openssl rand -base64 48 | tr -d '=\\n' | tr '+/' '-_')
CODE_CHALLENGE=$(printf %s "$CODE_VERIFIER" | openssl dgst -sha256 -binary | openssl base64 -A | tr -d '=' | tr '+/' '-_')
STATE=$(openssl rand -hex 16)
echo ${shellQuoted(`${issuer}/authorize?${query.join('&')}`)}"&state=$STATE&code_challenge=$CODE_CHALLENGE"`
}

export function exchangeCode(values: QuickValues & { redirectUri: string }): string {
  return tokenRequest(values, [
    'grant_type=authorization_code',
    shellQuoted(`redirect_uri=${values.redirectUri}`),
    '"code=$CODE"',
    '"code_verifier=$CODE_VERIFIER"',
  ])
}

export function refresh(values: QuickValues): string {
  return `REFRESH_TOKEN=$(printf %s "$TOKENS" | pick refresh_token)
${tokenRequest(values, ['grant_type=refresh_token', '"refresh_token=$REFRESH_TOKEN"'])}`
}

export function clientCredentials(values: QuickValues): string {
  return tokenRequest(values, ['grant_type=client_credentials', shellQuoted(`audience=${values.audience}`)])
}

export function passwordGrant(values: QuickValues): string {
  return tokenRequest(values, [
    'grant_type=password',
    '"username=$LOGIN"',
    '"password=$PASSWORD"',
    shellQuoted(`scope=${values.scope}`),
    shellQuoted(`audience=${values.audience}`),
  ])
}

function tokenRequest(values: QuickValues, fields: readonly string[]): string {
  const { application, issuer } = values
  const asPost = ['"client_id=$CLIENT_ID"', ...(hasSecret(values) ? ['"client_secret=$CLIENT_SECRET"'] : [])]
  const isBasic = ['basic', 'either'].includes(application.tokenEndpointAuthentication)
  const sent = [...fields, ...(isBasic ? [] : asPost)].map((each) => `--data-urlencode ${each}`)
  const lines = [...(isBasic ? ['-u "$CLIENT_ID:$CLIENT_SECRET"'] : []), ...sent]
  return `TOKENS=$(curl -sS ${shellQuoted(`${issuer}/oauth/token`)} \\
  ${lines.join(' \\\n  ')})
echo "$TOKENS"
ACCESS_TOKEN=$(printf %s "$TOKENS" | pick access_token)`
}

export function userinfo({ issuer }: QuickValues): string {
  return `curl -sS ${shellQuoted(`${issuer}/userinfo`)} -H "Authorization: Bearer $ACCESS_TOKEN"`
}

/** Without facilities and secrets: those that the token may see are found, and a secret is made. */
export function registerWebhook({ apiUrl }: QuickValues): string {
  return `WEBHOOK_URL=\${WEBHOOK_URL:-https://example.com/handover}
WEBHOOK=$(curl -sS ${shellQuoted(`${apiUrl}/webhooks/facility`)} \\
  -H "Authorization: Bearer $ACCESS_TOKEN" -H 'Content-Type: application/json' \\
  -d '{"url":"'"$WEBHOOK_URL"'","events":["shift.created"],"facilities":[],"secrets":[]}')
echo "$WEBHOOK"`
}

export function sandboxEvent({ apiUrl }: QuickValues): string {
  return `FACILITY=$(printf %s "$WEBHOOK" | sed -nE 's/.*"facilities":\\["([^"]*)".*/\\1/p')
curl -sS ${shellQuoted(`${apiUrl}/sandbox/events`)} \\
  -H "Authorization: Bearer $ACCESS_TOKEN" -H 'Content-Type: application/json' \\
  -d '{"type":"shift.created","facilityId":"'"$FACILITY"'","data":{"shiftId":"4711"}}'`
}

export function listDeliveries({ apiUrl }: QuickValues): string {
  return `WEBHOOK_ID=$(printf %s "$WEBHOOK" | sed -nE 's/^\\{"data":\\{"id":"([^"]*)".*/\\1/p')
curl -sS ${shellQuoted(`${apiUrl}/webhooks/facility`)}"/$WEBHOOK_ID/deliveries" -H "Authorization: Bearer $ACCESS_TOKEN"`
}
