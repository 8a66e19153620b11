import { clockSkewSeconds } from '../../platform/clock.ts'
import { type DatabaseSettings, readDatabaseSettings } from '../../platform/database-settings.ts'
import type { Db } from '../../platform/db.ts'
import { migrationState } from '../../platform/migrate.ts'
import { ourMigrations } from '../storage.ts'
import { type Finding, ok, warning, wrong } from './finding.ts'
import type { Patient } from './patient.ts'

/** Signed timestamps and token lifetimes are read by others; from here on somebody will notice. */
const SKEW_WARNING_SECONDS = 1
/** Receivers allow a signature five minutes; a token of an hour must not be born expired long before that. */
const SKEW_WRONG_SECONDS = 60

export async function checkClock({ clock }: Patient, db: Db): Promise<Finding[]> {
  // Twice: the first question may have to wait for its connection, and half of that wait would count as skew.
  const asked = [await clockSkewSeconds(db, clock), await clockSkewSeconds(db, clock)]
  const [skew = 0] = asked.toSorted((one, other) => Math.abs(one) - Math.abs(other))
  const off = Math.abs(skew)
  const says = `this machine is ${off.toFixed(off < 10 ? 2 : 0)} s ${skew < 0 ? 'behind' : 'ahead of'} the database`
  const advice =
    "Let NTP (chrony, systemd-timesyncd) keep both clocks: tokens, leases and signatures go by the database's, logs by this one."
  if (off > SKEW_WRONG_SECONDS) return [wrong('clock', says, advice)]
  return [off > SKEW_WARNING_SECONDS ? warning('clock', says, advice) : ok('clock', says)]
}

export async function checkMigrations(_: Patient, db: Db): Promise<Finding[]> {
  const migrations = await ourMigrations()
  const state = await migrationState(db, migrations).catch((error: unknown) => {
    // A database that nobody has migrated yet does not even have the table that says so.
    if (error instanceof Error && 'code' in error && error.code === '42P01') return 'pending' as const
    throw error
  })
  switch (state) {
    case 'done':
      return [ok('migrations', `all ${migrations.length} are applied`)]
    case 'pending':
      return [wrong('migrations', 'the database is older than this program', 'Run "handover migrate".')]
    case 'newer':
      return [
        warning(
          'migrations',
          'the database is newer than this program',
          'Finish the upgrade: start the newer version.',
        ),
      ]
  }
}

export async function checkSettings({ config }: Patient, db: Db): Promise<Finding[]> {
  const settings = await readDatabaseSettings(db)
  const { databasePool, databasePrepare } = config
  return [
    ok('database', `PostgreSQL ${settings.version}, database "${settings.name}"`),
    ...promisesOf(settings),
    connectionsOf(settings, databasePool),
    ...limitsOf(settings, databasePrepare),
  ]
}

/** Settings under which something that we answered for can be lost or read wrongly. */
function promisesOf(settings: DatabaseSettings): Finding[] {
  const check = 'database settings'
  const found: Finding[] = []
  const say = (finding: Finding) => void found.push(finding)
  if (!settings.fsync) say(wrong(check, 'fsync is off: a power cut destroys the database', 'Switch fsync on.'))
  if (!settings.fullPageWrites)
    say(wrong(check, 'full_page_writes is off: a power cut can leave torn pages', 'Switch full_page_writes on.'))
  if (settings.synchronousCommit === 'off')
    say(
      warning(
        check,
        'synchronous_commit is off: a crash forgets events and tokens that were answered for',
        'Switch synchronous_commit on, for this database or for its role.',
      ),
    )
  if (!settings.autovacuum)
    say(wrong(check, 'autovacuum is off: the queue of deliveries grows slower every hour', 'Switch autovacuum on.'))
  if (settings.encoding !== 'UTF8')
    say(wrong(check, `the encoding is ${settings.encoding}`, 'Make a database with encoding UTF8 and move to it.'))
  if (settings.isolation !== 'read committed')
    say(
      wrong(
        check,
        `default_transaction_isolation is ${settings.isolation}: statements that may race would fail`,
        'Set default_transaction_isolation to read committed, for this database or for its role.',
      ),
    )
  if (settings.readOnly)
    say(wrong(check, 'it takes no writes', 'Point DATABASE_URL at the primary, or name both hosts.'))
  return found.length > 0 ? found : [ok(check, 'durable commits, autovacuum, UTF8, read committed')]
}

/** Every process opens its whole pool when it is busy, and one connection more to listen. */
function connectionsOf(settings: DatabaseSettings, pool: number): Finding {
  const check = 'connections'
  const { mostConnections, keptBack, connections, processes } = settings
  const wanted = processes * (pool + 1)
  const says = `${connections} of ${mostConnections} in use; ${processes} of our processes may want ${wanted}`
  return wanted > mostConnections - keptBack
    ? warning(check, says, 'Raise max_connections, lower HANDOVER_DATABASE_POOL, or put PgBouncer between.')
    : ok(check, says)
}

/** Through PgBouncer we cannot set limits for a connection, so they have to stand at the role or the database. */
function limitsOf({ statementTimeoutMs }: DatabaseSettings, prepare: boolean): Finding[] {
  if (prepare || statementTimeoutMs > 0) return []
  return [
    warning(
      'statement limit',
      'HANDOVER_DATABASE_PREPARE is off and statement_timeout is not set: a statement may run for ever',
      `Run: alter role … set statement_timeout = '10s'; alter role … set idle_in_transaction_session_timeout = '10s'.`,
    ),
  ]
}
