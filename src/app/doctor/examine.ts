import { type Clock, systemClock } from '../../platform/clock.ts'
import { type Db, describeDatabaseUrl, openDatabase, requireDatabase } from '../../platform/db.ts'
import { findRunningEmbeddedPostgres } from '../../platform/embedded-postgres/launch.ts'
import { OperatorError } from '../../platform/operator-error.ts'
import { addressesOf } from '../addresses.ts'
import { type Config, parseConfig } from '../config.ts'
import type { Env } from '../variables.ts'
import { bounded } from './bounded.ts'
import { checkClock, checkMigrations, checkSettings } from './check-database.ts'
import { checkDatabaseWay } from './check-database-way.ts'
import { checkDelivery } from './check-delivery.ts'
import { checkEgress } from './check-egress.ts'
import { checkHere } from './check-here.ts'
import { checkKeys } from './check-keys.ts'
import { checkMail } from './check-mail.ts'
import { checkOutside } from './check-outside.ts'
import { type Finding, ok, skipped, wrong } from './finding.ts'
import type { Asked, Patient } from './patient.ts'

/** Connections for the checks that run side by side. */
const CONNECTIONS = 4

type DatabaseCheck = (patient: Patient, db: Db) => Promise<Finding[]>

const OF_THE_DATABASE: ReadonlyArray<[name: string, check: DatabaseCheck]> = [
  ['database', checkSettings],
  ['clock', checkClock],
  ['migrations', checkMigrations],
  ['keys', checkKeys],
  ['delivery', checkDelivery],
]

/** Every check once, side by side, in the order in which an operator reads them. */
export async function examine(env: Env, asked: Asked, clock: Clock = systemClock): Promise<Finding[]> {
  let config: Config
  try {
    config = parseConfig(env)
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    return [wrong('configuration', error.message, 'Nothing else can be checked before that.')]
  }
  const { db, fault } = await databaseOf(config)
  const patient: Patient = { config, env, addresses: addressesOf(config, config.port), clock, db }
  try {
    const others = await Promise.all([
      examineDatabase(patient),
      bounded('mail', () => checkMail(patient, asked)),
      bounded('discovery', () => checkOutside(patient)),
      bounded('egress', () => checkEgress(patient, asked)),
      bounded('this machine', () => checkHere(patient)),
    ])
    const configuration = ok('configuration', config.demo ? 'it is right, for demo mode' : 'it is right')
    return [configuration, ...(fault === null ? [] : [fault]), ...checkDatabaseWay(config), ...others.flat()]
  } finally {
    await db?.end({ timeout: 1 })
  }
}

async function examineDatabase(patient: Patient): Promise<Finding[]> {
  const { db } = patient
  if (db === null) return [skipped('everything stored', 'clock, migrations, keys and deliveries were not checked')]
  const checks = OF_THE_DATABASE.map(([name, check]) => bounded(name, () => check(patient, db)))
  return (await Promise.all(checks)).flat()
}

/** The embedded server is looked at when it runs, and never started: that would write. */
async function databaseOf(config: Config): Promise<{ db: Db | null; fault: Finding | null }> {
  const { databaseUrl, dataFolder, databasePrepare: prepare } = config
  let db: Db | null = null
  try {
    const connection = databaseUrl === null ? await findRunningEmbeddedPostgres(dataFolder) : null
    if (databaseUrl === null && connection === null)
      return {
        db,
        fault: wrong('database', `the embedded one in ${dataFolder} does not run`, 'Start "handover demo".'),
      }
    const target = connection === null ? { url: databaseUrl ?? '' } : { connection }
    db = openDatabase(target, { prepare, poolSize: CONNECTIONS })
    await requireDatabase(db, databaseUrl === null ? `in ${dataFolder}` : describeDatabaseUrl(databaseUrl))
    return { db, fault: null }
  } catch (error) {
    await db?.end({ timeout: 0 })
    if (!(error instanceof OperatorError)) throw error
    return { db: null, fault: wrong('database', error.message, 'Start it, or correct DATABASE_URL.') }
  }
}
