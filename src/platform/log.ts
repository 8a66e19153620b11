import { type DestinationStream, type Logger, pino } from 'pino'

export type Log = Logger

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

/** Whatever key carries one of these, at the top or one level down, its value never reaches a log. */
const SECRET_KEYS = [
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
]

export function createLog(level: LogLevel, destination?: DestinationStream): Log {
  return pino(
    {
      level,
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: {
        paths: SECRET_KEYS.flatMap((key) => [`["${key}"]`, `*["${key}"]`, `*.*["${key}"]`]),
        censor: '[redacted]',
      },
      serializers: { err: describeError },
    },
    destination ?? pino.destination({ dest: 1, sync: false }),
  )
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
