/**
 * What a newcomer pastes to send a webhook of their own: a token, a webhook, an event that arrives and is verified. For sh,
 * bash and zsh, without comments, which zsh does not take at its prompt, and without any program that may be missing.
 */
export function byHand(demoEnv: string): string[] {
  return [
    `. ${sourced(demoEnv)}`,
    'TOKEN=$(curl -s $TOKEN_URL -d grant_type=client_credentials -d audience=$API_AUDIENCE_SANDBOX \\',
    `  -d client_id=$MACHINE_CLIENT_ID -d client_secret=$MACHINE_CLIENT_SECRET | ${picked('access_token')})`,
    'ID=$(curl -s $WEBHOOKS_URL -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" \\',
    `  -d '{"url":"'$RECEIVER_URL'/hook","events":["shift.created"]}' | ${picked('id')})`,
    `curl -s -w '\\n' $EVENTS_URL -H "Authorization: Bearer $PLATFORM_KEY" -H "Content-Type: application/json" \\`,
    `  -d '{"environment":"sandbox","type":"shift.created","facilityId":"'$SANDBOX_FACILITY'","data":{"shiftId":4711}}' &&`,
    `  curl -s "$RECEIVER_URL/received?webhook=$ID&wait=15" | grep -o '"signature":{[^}]*}'`,
  ]
}

/** One value out of a JSON answer. */
function picked(name: string): string {
  return `sed 's/.*"${name}":"\\([^"]*\\).*/\\1/'`
}

/** Without a slash in it, sh would look for the file among the programs. */
function sourced(file: string): string {
  const path = file.includes('/') ? file : `./${file}`
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`
}
