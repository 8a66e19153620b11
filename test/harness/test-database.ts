import { randomBytes } from 'node:crypto'
import { type Db, openDatabase } from '../../src/platform/db.ts'

export const TEST_POSTGRES_URL = 'TEST_POSTGRES_URL'
export const TEMPLATE = 'handover_template'

export type TestDatabase = { url: string; db: Db; drop: () => Promise<void> }

/** A database of the caller's own: a clone of the migrated template, or an empty one. */
export async function createTestDatabase(from: 'migrated' | 'empty' = 'migrated'): Promise<TestDatabase> {
  const server = testServerUrl()
  const name = `test_${randomBytes(6).toString('hex')}`
  await asAdmin(server, `create database ${name} template ${from === 'migrated' ? TEMPLATE : 'template0'}`)
  const url = `${server}/${name}`
  const db = openPatiently(url, 5)
  return {
    url,
    db,
    drop: async () => {
      await db.end({ timeout: 1 })
      await asAdmin(server, `drop database ${name} with (force)`)
    },
  }
}

export function testServerUrl(): string {
  const url = process.env[TEST_POSTGRES_URL]
  if (url === undefined) throw new Error('Run tests by "npm run tests -- <file>": it starts the PostgreSQL they need.')
  return url
}

/** To the service two seconds are a database that is away; to a test that was paused while it connected they are nothing. */
const CONNECT_SECONDS = 30

function openPatiently(url: string, poolSize: number): Db {
  const { hostname, port, username, password, pathname } = new URL(url)
  const place = { host: hostname, port: Number(port), username, password, database: pathname.slice(1) }
  return openDatabase({ connection: { ...place, connect_timeout: CONNECT_SECONDS } }, { prepare: true, poolSize })
}

async function asAdmin(server: string, statement: string): Promise<void> {
  const admin = openPatiently(`${server}/postgres`, 1)
  try {
    await admin.unsafe(statement)
  } finally {
    await admin.end()
  }
}
