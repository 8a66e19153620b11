import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Db, openDatabase } from '../../src/platform/db.ts'
import { type EmbeddedPostgres, launchEmbeddedPostgres } from '../../src/platform/embedded-postgres/launch.ts'
import { testServerUrl } from './test-database.ts'

const DEBIAN_15 = '/usr/lib/postgresql/15/bin'

export type StorageDatabase = { db: Db; drop: () => Promise<void> }

export type StorageServer = {
  name: string
  /** False, or why the tests on it cannot run here. */
  missing: false | string
  start: () => Promise<void>
  create: () => Promise<StorageDatabase>
  stop: () => Promise<void>
}

/** The servers that storage has to work on: the embedded one, and the oldest version an operator may bring. */
export function openStorageDatabases(): StorageServer[] {
  return [embedded(), debian15()]
}

function embedded(): StorageServer {
  return {
    name: 'the embedded PostgreSQL 18',
    missing: false,
    start: async () => {},
    create: () =>
      createOn((database) => openDatabase({ url: `${testServerUrl()}/${database}` }, { prepare: true, poolSize: 5 })),
    stop: async () => {},
  }
}

function debian15(): StorageServer {
  let folder = ''
  let server: EmbeddedPostgres | undefined
  return {
    name: "Debian's PostgreSQL 15",
    missing: existsSync(`${DEBIAN_15}/initdb`)
      ? false
      : 'PostgreSQL 15 is not installed: apt-get install postgresql-15',
    start: async () => {
      folder = await mkdtemp(join(tmpdir(), 'handover-15-'))
      server = await launchEmbeddedPostgres({
        dataFolder: folder,
        say: () => {},
        binaries: DEBIAN_15,
        settings: { fsync: 'off' },
      })
    },
    create: () =>
      createOn((database) => {
        if (server === undefined) throw new Error('The server was not started')
        return openDatabase({ connection: { ...server.connection, database } }, { prepare: true, poolSize: 5 })
      }),
    stop: async () => {
      await server?.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function createOn(open: (database: string) => Db): Promise<StorageDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`
  const admin = open('postgres')
  await admin.unsafe(`create database ${name}`)
  const db = open(name)
  return {
    db,
    drop: async () => {
      await db.end({ timeout: 1 })
      await admin.unsafe(`drop database ${name} with (force)`)
      await admin.end()
    },
  }
}
