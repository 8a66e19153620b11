/**
 * Whether a statement failed because the database cannot do it now, and not because of what was asked: it is starting,
 * stopping, full, out of reach, or was cut off in the middle. The same may succeed a moment later. What was cut off while it
 * committed may also have been done; nobody can know.
 */
export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error instanceof AggregateError) return error.errors.every(isDatabaseAway)
  const code = 'code' in error ? String(error.code) : ''
  return PASSING_STATE.test(code) || UNREACHED.has(code) || (code === 'ENOENT' && isConnecting(error))
}

/**
 * What the server answers (appendix A of PostgreSQL's manual), or PgBouncer in its place: the connection is at fault (08),
 * resources are short, the disk among them (53), an operator or a limit intervened (57), the system failed (58), it takes no
 * writes (25006), it ended who was silent (25P03), or others were in the way (40001, 40P01, 55P03).
 */
const PASSING_STATE = /^(08|53|57|58)\w{3}$|^(25006|25P03|40001|40P01|55P03)$/

/** What the driver, the network or we say when there is nobody who could answer. */
const UNREACHED: ReadonlySet<string> = new Set([
  'CONNECTION_CLOSED',
  'CONNECTION_ENDED',
  'CONNECTION_DESTROYED',
  'CONNECT_TIMEOUT',
  'CONNECTION_SILENT',
  'NO_PRIMARY',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
])

/** The socket of a server on this machine that has ended. */
function isConnecting(error: Error): boolean {
  return 'syscall' in error && error.syscall === 'connect'
}
