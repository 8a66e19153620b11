// The peer glewlwyd, Debian's package, in C: a program of its own on an SQLite file, configured over its REST API.
import { spawn } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '../free-port.ts'
import { API_SCOPE, CLIENT_ID, CLIENT_SECRET } from '../token/application.ts'

const TABLES = '/usr/share/dbconfig-common/data/glewlwyd/install/sqlite3'
const MODULES = '/usr/lib/glewlwyd'

const folder = await mkdtemp(join(tmpdir(), 'handover-bench-glewlwyd-'))
const port = await freePort()
const api = `http://127.0.0.1:${port}/api`

function configuration(database: string): string {
  return `
port = ${port}
bind_address = "127.0.0.1"
external_url = "http://localhost:${port}/"
login_url = "login.html"
api_prefix = "api"
log_mode = "console"
log_level = "NONE"
cookie_secure = false
session_expiration = 2419200
session_key = "GLEWLWYD2_SESSION_ID"
admin_scope = "g_admin"
profile_scope = "g_profile"
user_module_path = "${MODULES}/user"
client_module_path = "${MODULES}/client"
user_auth_scheme_module_path = "${MODULES}/scheme"
plugin_module_path = "${MODULES}/plugin"
use_secure_connection = false
secure_connection_key_file = ""
secure_connection_pem_file = ""
hash_algorithm = "SHA256"
database = { type = "sqlite3"; path = "${database}"; };
`
}

async function untilItAnswers(): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    if (await fetch(api).catch(() => null)) return
    await pause(100)
  }
  throw new Error('glewlwyd did not answer within 10 s')
}

/** What its administration pages do. The tables come with an administrator whose password is "password". */
async function configure(): Promise<void> {
  const signedIn = await call('POST', '/auth/', { username: 'admin', password: 'password' })
  const cookie = signedIn.headers
    .getSetCookie()
    .map((line) => line.split(';', 1)[0])
    .join('; ')
  const ask = (method: string, path: string, body: object) => call(method, path, body, cookie)

  // Secrets that are random need no slow hash; with the usual 150,000 rounds a token would measure nothing else.
  const clients = '/mod/client/database'
  const before: { parameters: object } = JSON.parse(
    await (await fetch(`${api}${clients}`, { headers: { cookie } })).text(),
  )
  await ask('PUT', clients, { ...before, parameters: { ...before.parameters, 'pbkdf2-iterations': 1 } })
  await ask('PUT', '/mod/reload/', {})

  const scope = API_SCOPE.split(' ')
  for (const name of scope) await ask('POST', '/scope/', { name, display_name: name, password_required: false })
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const parameters = {
    iss: `http://localhost:${port}/oidc`,
    'jwt-type': 'ecdsa',
    'jwt-key-size': '256',
    key: privateKey.export({ type: 'sec1', format: 'pem' }),
    cert: publicKey.export({ type: 'spki', format: 'pem' }),
    'access-token-duration': 3_600,
    'refresh-token-duration': 3_600,
    'code-duration': 60,
    'allow-non-oidc': true,
    'auth-type-client-enabled': true,
    'allowed-scope': ['openid', ...scope],
  }
  await ask('POST', '/mod/plugin/', { module: 'oidc', name: 'oidc', display_name: 'OIDC', order_rank: 0, parameters })
  await ask('POST', '/client/', {
    client_id: CLIENT_ID,
    name: 'Bench',
    password: CLIENT_SECRET,
    confidential: true,
    enabled: true,
    scope,
    authorization_type: ['client_credentials'],
    token_endpoint_auth_method: ['client_secret_post'],
  })
}

async function call(method: string, path: string, body: object, cookie = ''): Promise<Response> {
  const headers = { 'content-type': 'application/json', cookie }
  const answer = await fetch(`${api}${path}`, { method, headers, body: JSON.stringify(body) })
  if (!answer.ok) throw new Error(`glewlwyd refused ${path}: ${answer.status} ${await answer.text()}`)
  return answer
}

const database = join(folder, 'glewlwyd.db')
const tables = new DatabaseSync(database)
tables.exec(await readFile(TABLES, 'utf8'))
tables.close()
const file = join(folder, 'glewlwyd.conf')
await writeFile(file, configuration(database))
const program = spawn('glewlwyd', ['--config-file', file], { stdio: 'ignore' })

async function end(): Promise<void> {
  const ended = program.exitCode === null && program.signalCode === null ? once(program, 'exit') : null
  program.kill('SIGTERM')
  await ended
  await rm(folder, { recursive: true, force: true })
  process.exit(0)
}

// Also when its configuration fails: nothing may be left running.
process.on('exit', () => program.kill())
process.on('SIGTERM', () => void end())
process.on('disconnect', () => void end())
await untilItAnswers()
await configure()
process.send?.({ port, pid: program.pid })
