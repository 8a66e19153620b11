import { setTimeout as sleep } from 'node:timers/promises'
import type { Db } from '../../src/platform/db.ts'
import { databaseCpuOf } from '../grow/scene.ts'

/** What a call costs PostgreSQL: seconds of CPU of the connection's process, and bytes of WAL. */
export type Cost = { cpu: number; wal: number }

/** Of its one connection. */
export type Meter = <Value>(call: () => Promise<Value>) => Promise<{ value: Value; cost: Cost }>

/** A process is charged when it leaves its core, which may be a moment after it has answered. */
const CHARGED_AFTER_MS = 1

export function meterOf(db: Db): Meter {
  return async (call) => {
    const databaseCpu = await databaseCpuOf({ db })
    const walBefore = await writtenSoFar(db)
    await sleep(CHARGED_AFTER_MS)
    const cpuBefore = databaseCpu()
    const value = await call()
    await sleep(CHARGED_AFTER_MS)
    const cpu = databaseCpu() - cpuBefore
    return { value, cost: { cpu, wal: (await writtenSoFar(db)) - walBefore } }
  }
}

/** Bytes of WAL since the server was made, of everybody: that others write now and then is what medians are for. */
async function writtenSoFar(db: Db): Promise<number> {
  const [row] = await db<[{ bytes: number }]>`
    select (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::float8 as bytes`
  return row.bytes
}
