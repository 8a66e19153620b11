import { isIP } from 'node:net'
import { resolve } from 'node:path'
import type { Environment } from '../domain/environment.ts'
import { MASTER_KEY_BYTES } from '../platform/cipher.ts'
import type { JwtAlgorithm } from '../platform/jwt.ts'
import { LOG_LEVELS, type LogLevel } from '../platform/log.ts'
import { isLoopbackHost, isLoopbackUrl } from '../platform/loopback.ts'
import { type Env, Variables } from './variables.ts'

/** Everything an operator can set, parsed once (decision A3). Nothing else reads the environment. */
export type Config = {
  demo: boolean
  host: string
  port: number
  metricsPort: number
  receiverPort: number
  trustProxy: string[] | number | false
  /** How many processes answer requests on the one port. */
  webProcesses: number
  /** For how long a request may wait for its turn before it is turned away. */
  longestWaitMs: number
  /** Not set in demo mode: the addresses then follow the port. */
  authUrl: string | null
  baseUrl: string | null
  audiences: Record<Environment, string>
  /** Not set in demo mode: a key is then made and kept in the data folder. */
  masterKey: Buffer | null
  previousMasterKeys: Buffer[]
  otlpUrl: string | null
  /** Not set: nobody can sign up or reset a password, except in demo mode, which has a mailbox of its own. */
  mail: { smtpUrl: string; from: string } | null
  accessTokenAlgorithm: JwtAlgorithm
} & StorageConfig

/** What `handover migrate` needs, and nothing more. */
export type StorageConfig = {
  /** Not set: the embedded PostgreSQL in the data folder. */
  databaseUrl: string | null
  databasePrepare: boolean
  databasePool: number
  dataFolder: string
  logLevel: LogLevel
}

export function parseStorageConfig(env: Env): StorageConfig {
  const variables = new Variables(env)
  const { databaseUrl, databasePrepare, databasePool, dataFolder, logLevel } = readAll(variables, {
    demo: null,
    storageOnly: true,
  })
  variables.finish()
  return { databaseUrl, databasePrepare, databasePool, dataFolder, logLevel }
}

/** `command` is 'demo' when the operator asked for demo mode by name. */
export function parseConfig(env: Env, command: 'serve' | 'demo' = 'serve'): Config {
  const variables = new Variables(env)
  const config = readAll(variables, { demo: command === 'demo' ? true : null, storageOnly: false })
  variables.finish()
  return config
}

function readAll(variables: Variables, asked: { demo: boolean | null; storageOnly: boolean }): Config {
  const databaseUrl = readDatabaseUrl(variables)
  const authUrl = readOrigin(variables, 'AUTH_URL')
  const baseUrl = readOrigin(variables, 'BASE_URL')
  const forced = variables.choice('HANDOVER_DEMO', ['0', '1'], '0') === '1'
  // Decision A4: nothing that points at a real deployment is set, so this is somebody's first look.
  const demo = asked.demo ?? (forced || (authUrl === null && databaseUrl === null))

  const config: Config = {
    demo,
    host: variables.text('HANDOVER_HOST') ?? (demo ? 'localhost' : '0.0.0.0'),
    port: variables.whole('PORT', 4000, 0, 65_535),
    metricsPort: variables.whole('METRICS_PORT', 9464, 0, 65_535),
    receiverPort: variables.whole('RECEIVER_PORT', 4400, 0, 65_535),
    trustProxy: readTrustProxy(variables),
    webProcesses: variables.whole('HANDOVER_WORKERS', 1, 1, 64),
    longestWaitMs: variables.whole('HANDOVER_LONGEST_WAIT_MS', 300, 10, 60_000),
    authUrl,
    baseUrl: baseUrl ?? authUrl,
    audiences: {
      production: variables.text('API_AUDIENCE_PROD') ?? 'urn:handover:api:production',
      sandbox: variables.text('API_AUDIENCE_SANDBOX') ?? 'urn:handover:api:sandbox',
    },
    masterKey: readMasterKey(variables, 'HANDOVER_MASTER_KEY'),
    previousMasterKeys: [readMasterKey(variables, 'HANDOVER_MASTER_KEY_PREVIOUS')].filter((key) => key !== null),
    otlpUrl: readUrl(variables, 'HANDOVER_OTLP_URL'),
    mail: readMail(variables),
    accessTokenAlgorithm: variables.choice('HANDOVER_ACCESS_TOKEN_ALGORITHM', ['ES256', 'RS256', 'EdDSA'], 'ES256'),
    databaseUrl,
    databasePrepare: variables.choice('HANDOVER_DATABASE_PREPARE', ['on', 'off'], 'on') === 'on',
    databasePool: variables.whole('HANDOVER_DATABASE_POOL', 10, 2, 1_000),
    dataFolder: resolve(variables.text('HANDOVER_DATA_DIR') ?? 'data'),
    logLevel: variables.choice('HANDOVER_LOG_LEVEL', LOG_LEVELS, demo ? 'warn' : 'info'),
  }
  if (config.audiences.production === config.audiences.sandbox) {
    variables.wrong(
      'API_AUDIENCE_SANDBOX',
      'must differ from API_AUDIENCE_PROD: the audience tells the environments apart',
    )
  }
  if (!asked.storageOnly) {
    if (demo) requireLoopbackOnly(variables, config)
    else requireDeployment(variables, config)
  }
  return config
}

/** Demo mode has seeded passwords: it must not be reachable from anywhere else (decision A4). */
function requireLoopbackOnly(variables: Variables, config: Config): void {
  if (variables.text('NODE_ENV') === 'production')
    variables.wrong(
      'NODE_ENV',
      'is production; demo mode is for trying out only (set AUTH_URL, DATABASE_URL and HANDOVER_MASTER_KEY, then use "handover serve")',
    )
  if (!isLoopbackHost(config.host)) variables.wrong('HANDOVER_HOST', 'must be a loopback address in demo mode')
  if (config.trustProxy !== false) variables.wrong('HANDOVER_TRUST_PROXY', 'must be off in demo mode')
  if (config.webProcesses > 1) variables.wrong('HANDOVER_WORKERS', 'must be 1 in demo mode, whose mailbox is in memory')
  if (config.authUrl !== null && !isLoopbackUrl(config.authUrl))
    variables.wrong('AUTH_URL', 'must be a loopback address in demo mode')
  if (config.baseUrl !== null && !isLoopbackUrl(config.baseUrl))
    variables.wrong('BASE_URL', 'must be a loopback address in demo mode')
}

function requireDeployment(variables: Variables, config: Config): void {
  if (config.authUrl === null)
    variables.wrong(
      'AUTH_URL',
      'must be set: the address people and integrators reach this service at, such as https://id.example.com',
    )
  if (config.masterKey === null)
    variables.wrong(
      'HANDOVER_MASTER_KEY',
      'must be set: make one with "openssl rand -base64 32" and keep it safe (with AUTH_URL or DATABASE_URL set this is no demo; for one, unset them)',
    )
}

function readDatabaseUrl(variables: Variables): string | null {
  const url = variables.secret('DATABASE_URL')
  // Several hosts (failover) are not a URL that the platform's parser takes, so only the scheme is judged here.
  if (url !== null && !/^postgres(ql)?:\/\/./.test(url))
    variables.wrong('DATABASE_URL', 'must start with postgres:// or postgresql://')
  return url
}

/** The service answers at fixed paths, so its address is an origin: scheme, host and port. */
function readOrigin(variables: Variables, name: string): string | null {
  const url = readUrl(variables, name)
  if (url === null) return null
  const { origin, protocol } = new URL(url)
  if (url.replace(/\/$/, '') !== origin)
    variables.wrong(name, 'must be an origin: scheme, host and port, without a path')
  if (protocol === 'http:' && !isLoopbackUrl(url))
    variables.wrong(name, 'must use https (http is for loopback addresses only)')
  return origin
}

function readUrl(variables: Variables, name: string): string | null {
  const text = variables.text(name)
  if (text === null) return null
  if (URL.canParse(text) && /^https?:\/\//.test(text)) return text
  variables.wrong(name, 'must be a URL that starts with https:// or http://')
  return null
}

function readMail(variables: Variables): Config['mail'] {
  const smtpUrl = variables.secret('HANDOVER_SMTP_URL')
  const from = variables.text('HANDOVER_MAIL_FROM')
  if (smtpUrl !== null && !(URL.canParse(smtpUrl) && /^smtps?:\/\/./.test(smtpUrl)))
    variables.wrong('HANDOVER_SMTP_URL', 'must be a URL that starts with smtps:// or smtp://')
  if (from !== null && !/^(?:[^<>@\p{Cc}]*<[^<>@\s]+@[^<>@\s]+>|[^<>@\s]+@[^<>@\s]+)$/u.test(from))
    variables.wrong('HANDOVER_MAIL_FROM', 'must be an address, such as Handover <no-reply@example.com>')
  if ((smtpUrl === null) !== (from === null))
    variables.wrong(
      smtpUrl === null ? 'HANDOVER_SMTP_URL' : 'HANDOVER_MAIL_FROM',
      'must be set too: mail needs a server and a sender',
    )
  return smtpUrl === null || from === null ? null : { smtpUrl, from }
}

function readMasterKey(variables: Variables, name: string): Buffer | null {
  const text = variables.secret(name)
  if (text === null) return null
  const key = Buffer.from(text, 'base64')
  if (key.length === MASTER_KEY_BYTES && key.toString('base64').replaceAll('=', '') === text.replaceAll('=', ''))
    return key
  variables.wrong(
    name,
    `must be ${MASTER_KEY_BYTES} bytes in base64: make one with "openssl rand -base64 ${MASTER_KEY_BYTES}"`,
  )
  return null
}

/** `off`, how many proxies stand in front, or their addresses. Whoever is trusted decides the address that throttling sees. */
function readTrustProxy(variables: Variables): string[] | number | false {
  const text = variables.text('HANDOVER_TRUST_PROXY')
  if (text === null || text === 'off') return false
  if (/^[1-9]\d?$/.test(text)) return Number(text)
  const proxies = text.split(',').map((proxy) => proxy.trim())
  if (proxies.every(isAddressOrNetwork)) return proxies
  variables.wrong(
    'HANDOVER_TRUST_PROXY',
    'must be off, a number of proxies, or a comma-separated list of addresses and networks (10.0.0.0/8)',
  )
  return false
}

function isAddressOrNetwork(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/')
  const family = isIP(address)
  if (family === 0 || rest.length > 0) return false
  return bits === undefined || (/^\d+$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128))
}
