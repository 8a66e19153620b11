import { type DestinationStream, type Logger, pino } from 'pino'

export type Log = Logger

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

/** Whatever key carries one of these, at the top or a few levels down, its value never reaches a log. */
const SECRET_KEYS: ReadonlySet<string> = new Set([
  'password',
  'secret',
  'secrets',
  'client_secret',
  'clientSecret',
  'token',
  'access_token',
  'refresh_token',
  'id_token',
  'id_token_hint',
  'code',
  'code_verifier',
  'authorization',
  'cookie',
  'set-cookie',
  'masterKey',
  'databaseUrl',
])

const LEVELS_DOWN = 4

export function createLog(level: LogLevel, destination?: DestinationStream): Log {
  return pino(
    {
      level,
      base: { pid: process.pid },
      timestamp: isoTime(),
      // pino's own redaction by paths took a fifth of the CPU of a token request; this walk of the few keys takes none to speak of.
      formatters: {
        log: (line) => withoutSecrets(line, LEVELS_DOWN),
        bindings: (bindings) => withoutSecrets(bindings, LEVELS_DOWN),
      },
      serializers: { err: describeError },
    },
    destination ?? pino.destination({ dest: 1, sync: false }),
  )
}

/** As pino's own, but a date is written out only once in each millisecond. */
function isoTime(): () => string {
  let millisecond = 0
  let text = ''
  return () => {
    const now = Date.now()
    if (now !== millisecond) {
      millisecond = now
      text = `,"time":"${new Date(now).toISOString()}"`
    }
    return text
  }
}

/** The same record, or a copy of it where a value had to be blotted out. */
function withoutSecrets(record: Record<string, unknown>, levelsDown: number): Record<string, unknown> {
  let clean = record
  for (const key of Object.keys(record)) {
    const value = record[key]
    const safe = SECRET_KEYS.has(key) ? '[redacted]' : withoutSecretsInside(value, levelsDown)
    if (safe === value) continue
    if (clean === record) clean = { ...record }
    clean[key] = safe
  }
  return clean
}

/** Errors have a serializer of their own, and bytes have no names. */
function withoutSecretsInside(value: unknown, levelsDown: number): unknown {
  if (typeof value !== 'object' || value === null || value instanceof Error || ArrayBuffer.isView(value)) return value
  if (levelsDown === 0) return '[too deep]'
  if (Array.isArray(value)) return value.map((each) => withoutSecretsInside(each, levelsDown - 1))
  return isRecord(value) ? withoutSecrets(value, levelsDown - 1) : value
}

function isRecord(value: object): value is Record<string, unknown> {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/**
 * An error as the operator needs it, and no more: PostgreSQL puts row values into `detail` and `parameters`, so only its
 * code and names are kept.
 */
export function describeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { type: typeof error, message: 'a value that is not an error was thrown' }
  const code = 'code' in error ? error.code : undefined
  const constraint = 'constraint_name' in error ? error.constraint_name : undefined
  const table = 'table_name' in error ? error.table_name : undefined
  return {
    type: error.name,
    message: error.message,
    stack: error.stack,
    ...(code === undefined ? {} : { errorCode: code }),
    ...(constraint === undefined ? {} : { constraint }),
    ...(table === undefined ? {} : { table }),
    ...(error.cause === undefined ? {} : { cause: describeError(error.cause) }),
  }
}
