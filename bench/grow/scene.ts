import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRotation, type RotateRefreshToken } from '../../src/domain/tokens/rotation-store.ts'
import { type Cipher, createCipher } from '../../src/platform/cipher.ts'
import { type Db, openDatabase } from '../../src/platform/db.ts'
import { cpuSeconds } from '../cores.ts'
import { addDatabase } from '../databases.ts'
import type { BenchStorage } from '../storage.ts'
import { fill } from './fill.ts'
import { PAST_MS } from './numbered.ts'

/** A database of one size, and one connection to it, so that its process is known. */
export type Scene = {
  name: string
  size: number
  db: Db
  cipher: Cipher
  /** The moment, in milliseconds, at which the oldest delivery was made. */
  past: number
  rotate: RotateRefreshToken
  /** Tokens that were renewed, by the number of their person. */
  renewed: Map<number, string>
}

export async function openScene(storage: BenchStorage, size: number): Promise<Scene> {
  const { url, db: filling } = await addDatabase(storage, `grow_${size}`)
  const [row] = await filling<[{ midnight: Date }]>`select date_trunc('day', now(), 'utc') as midnight`
  const past = row.midnight.getTime() - PAST_MS
  await fill(filling, size, past)
  await filling.end()
  const db = openDatabase({ url }, { prepare: true, poolSize: 1 })
  return {
    name: size.toLocaleString('en'),
    size,
    db,
    cipher: createCipher(randomBytes(32)),
    past,
    rotate: createRotation(db),
    renewed: new Map(),
  }
}

/** Reads the seconds of CPU that the connection's process has used. A connection that was long unused is another one. */
export async function databaseCpuOf({ db }: Pick<Scene, 'db'>): Promise<() => number> {
  const [backend] = await db<[{ pid: number }]>`select pg_backend_pid() as pid`
  return () => nanoseconds(backend.pid) ?? cpuSeconds(backend.pid) ?? 0
}

/** Finer than what `cpuSeconds` reads, where the kernel counts it (proc(5), schedstat). */
function nanoseconds(pid: number): number | null {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ', 1)[0]) / 1e9
  } catch {
    return null
  }
}
