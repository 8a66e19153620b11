import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from '../platform/command.ts'
import { OperatorError } from '../platform/operator-error.ts'
import type { Terminal } from '../platform/terminal.ts'
import { type Given, readArguments } from './arguments.ts'
import { tokenBySecret } from './fetch-token.ts'
import { callService, Unreachable } from './http-call.ts'
import { memberOf, numberOf, textOf } from './json-value.ts'
import { giveBack } from './logout.ts'
import { openBrowser } from './open-browser.ts'
import { type Output, oneLine, outputFor, readInput } from './output.ts'
import { readServiceUrl, USUAL_URL } from './read-address.ts'
import { refusalOf } from './refused.ts'
import { readStoredLogin, type StoredLogin, storeLogin } from './stored-login.ts'

export const loginCommand: Command = {
  help: `handover login [--url <address>] [--no-browser] [--json]
handover login --client-id <id> --client-secret-stdin [--url <address>]

Logs this computer in for one application, for its sandbox. A page of the portal opens: sign in there, compare the code with
the one that is shown here, choose the application and allow it. Over ssh, open the address in any browser. No client secret
is needed, and none is kept: what is kept is a key of its own that works for 90 days and can be revoked in the portal.

The second form is for machines whose application may use client credentials; the secret is read from standard input.
Without any login, HANDOVER_CLIENT_ID and HANDOVER_CLIENT_SECRET do the same for a single command.

  --url             where the service is: HANDOVER_URL, or ${USUAL_URL}
  --no-browser      only print the address
  --json            one JSON value on a line

The login is kept in $XDG_CONFIG_HOME/handover/login.json, readable by you alone. "handover logout" ends it.

Examples:
  handover login
  handover login --url https://api.example.com
  handover login --client-id app_… --client-secret-stdin < secret.txt`,
  run: async (terminal, args) => {
    const given = readArguments(args, {
      texts: ['url', 'client-id'],
      flags: ['no-browser', 'client-secret-stdin', 'json'],
    })
    if (given.words.length > 0) throw new OperatorError('login takes options alone; "handover login --help" lists them')
    const output = outputFor(terminal, { json: given.flag('json') })
    const url = given.text('url') ?? (terminal.env['HANDOVER_URL'] || USUAL_URL)
    const baseUrl = readServiceUrl(url, given.text('url') === undefined ? 'HANDOVER_URL' : '--url')
    const before = await readStoredLogin(terminal.env).catch(() => null)
    const { login, application, expiresAt } = given.flag('client-secret-stdin')
      ? await bySecret(terminal, baseUrl, given)
      : await byBrowser(terminal, output, baseUrl, given)
    const file = await storeLogin(terminal.env, login)
    // The key of the login before would work on for months, and nobody would know what for.
    if (before !== null) await giveBack(before).catch(() => {})
    output.record(
      { baseUrl, clientId: login.clientId, application, expiresAt, file },
      `${output.paint.good('Logged in')} for ${application === null ? '' : `${output.paint.bold(oneLine(application))}, `}${oneLine(login.clientId)}, at ${baseUrl}.`,
    )
    output.say(
      `Kept in ${file}${expiresAt === null ? '' : ` and good until ${expiresAt.slice(0, 10)}`}. Try: handover trigger --list`,
    )
  },
}

type NewLogin = { login: StoredLogin; application: string | null; expiresAt: string | null }

/** Tried before it is kept, so that what is wrong with it is said now. */
async function bySecret(terminal: Terminal, baseUrl: string, given: Given): Promise<NewLogin> {
  const clientId = given.text('client-id') ?? terminal.env['HANDOVER_CLIENT_ID']
  if (!clientId) throw new OperatorError('--client-secret-stdin needs --client-id <id>')
  const clientSecret = (await readInput(terminal, 'the client secret')).toString('utf8').trim()
  if (clientSecret === '') throw new OperatorError('The client secret on standard input is empty.')
  await tokenBySecret({ baseUrl, clientId, clientSecret }, 'sandbox')
  return { login: { baseUrl, clientId, login: { by: 'secret', clientSecret } }, application: null, expiresAt: null }
}

type Begun = { secret: string; code: string; url: string; expiresIn: number; interval: number }

/** As RFC 8628: it works wherever a browser is, also on another computer. */
async function byBrowser(terminal: Terminal, output: Output, baseUrl: string, given: Given): Promise<NewLogin> {
  if (given.text('client-id') !== undefined) throw new OperatorError('--client-id goes with --client-secret-stdin')
  const begun = await begin(baseUrl)
  const { paint } = output
  output.say(`Your code:  ${paint.bold(oneLine(begun.code))}\n\n`)
  output.say(`Open this page, compare the code, and allow an application:\n  ${paint.bold(oneLine(begun.url))}\n\n`)
  if (!given.flag('no-browser') && output.isLive) openBrowser(begun.url, terminal.env)
  const endsAt = performance.now() + begun.expiresIn * 1_000
  for (;;) {
    const left = endsAt - performance.now()
    if (left <= 0) throw new OperatorError('Nobody allowed the login within ten minutes. "handover login" begins anew.')
    output.progress(`Waiting for the browser, ${minutes(left)} left …`)
    await sleep(Math.min(begun.interval * 1_000, left))
    const answered = await ask(baseUrl, begun.secret)
    if (answered !== null) return answered
  }
}

async function begin(baseUrl: string): Promise<Begun> {
  const path = '/api/v2/public/command-line/logins'
  const answer = await callService(baseUrl, { method: 'POST', path, body: { name: hostname() } })
  if (answer.status !== 201) throw refusalOf(answer, baseUrl)
  const data = memberOf(answer.json, 'data')
  const [secret, code, url] = [textOf(data, 'secret'), textOf(data, 'code'), textOf(data, 'url')]
  if (secret === null || code === null || url === null) throw refusalOf(answer, baseUrl)
  return { secret, code, url, expiresIn: numberOf(data, 'expiresIn') ?? 600, interval: numberOf(data, 'interval') ?? 2 }
}

/** Null while nobody has answered. A service that is away for a moment is asked again. */
async function ask(baseUrl: string, secret: string): Promise<NewLogin | null> {
  const path = '/api/v2/public/command-line/logins/answer'
  const answer = await callService(baseUrl, { method: 'POST', path, body: { secret } }).catch((error: unknown) => {
    if (error instanceof Unreachable) return null
    throw error
  })
  if (answer === null || answer.status >= 500) return null
  const data = memberOf(answer.json, 'data')
  if (answer.status !== 200) throw refusalOf(answer, baseUrl)
  const key = textOf(data, 'key')
  const application = memberOf(data, 'application')
  const clientId = textOf(application, 'id')
  if (textOf(data, 'state') !== 'allowed' || key === null || clientId === null) return null
  return {
    login: { baseUrl, clientId, login: { by: 'browser', key } },
    application: textOf(application, 'name'),
    expiresAt: textOf(data, 'expiresAt'),
  }
}

function minutes(ms: number): string {
  const seconds = Math.ceil(ms / 1_000)
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}
