import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Db, openDatabase } from '../src/platform/db.ts'
import { quietPort } from '../test/harness/quiet-port.ts'
import type { SoakDatabase } from './database.ts'
import { type Front, startFront } from './front.ts'
import { createLedger, type Ledger } from './ledger.ts'
import { machineToken } from './load/machines.ts'
import { newSecret, subscribe } from './load/webhooks.ts'
import { type WatchedProcess, watchProcess } from './processes.ts'
import { type SoakReceiver, startSoakReceiver } from './receiver.ts'
import { type Seeded, seed } from './seed.ts'

const PROCESSES = 3
const SUBSCRIBERS = ['first', 'second', 'third']

/** Three processes on one database, as an operator runs them, with everything that visitors and the judge have to know. */
export type Scene = Seeded & {
  /** One address for all of them. */
  url: string
  processes: WatchedProcess[]
  database: SoakDatabase
  ledger: Ledger
  receiver: SoakReceiver
  subscribers: readonly string[]
  /** Webhooks that somebody is at. */
  busy: Set<string>
  /** Whoever still waits for an answer when it is aborted gives up. */
  patience: AbortSignal
  isOver: () => boolean
  /** How often a clock was set: what had not expired before it may have now. */
  clockJumps: () => number
  noteClockJump: () => void
  /** Visitors begin nothing more, and after a while wait for nothing more. */
  end: (patienceMs: number) => void
  stop: () => Promise<void>
}

export type SceneOptions = {
  /** Further settings of that process. */
  processEnv?: (number: number) => Record<string, string>
}

export async function startScene(database: SoakDatabase, options: SceneOptions = {}): Promise<Scene> {
  const folder = await mkdtemp(join(tmpdir(), 'handover-soak-scene-'))
  const masterKey = randomBytes(32).toString('base64')
  const ledger = createLedger()
  const processes: WatchedProcess[] = []
  let front: Front | null = null
  const receiver = await startSoakReceiver(({ subscriber, eventId, isVerified }) => {
    if (isVerified) ledger.arrived(subscriber, eventId)
    else ledger.unverified.push(`${subscriber} ${eventId}`)
  })
  const stop = async () => {
    await Promise.all(processes.map((each) => each.stop()))
    await front?.close()
    await receiver.close()
    await rm(folder, { recursive: true, force: true })
  }
  try {
    const ports = await Promise.all(Array.from({ length: PROCESSES }, quietPort))
    front = await startFront(ports)
    const authorities = join(folder, 'authorities.pem')
    await writeFile(authorities, receiver.certificate)
    const env = {
      AUTH_URL: front.url,
      DATABASE_URL: database.url,
      HANDOVER_MASTER_KEY: masterKey,
      HANDOVER_HOST: '127.0.0.1',
      HANDOVER_LOG_LEVEL: 'trace',
      METRICS_PORT: '0',
      NODE_EXTRA_CA_CERTS: authorities,
      RECEIVER_BEHIND_ALL: String(receiver.port),
      ...database.env,
    }
    for (const [position, port] of ports.entries()) {
      const own = options.processEnv?.(position + 1) ?? {}
      processes.push(watchProcess({ number: position + 1, port, folder, env: { ...env, ...own } }))
    }
    await Promise.all(processes.map((each) => each.ready()))
    const seeded = await withDatabase(database, seed)
    const { machine, web, password, platformKey } = seeded
    const known = [masterKey, machine.secret, web.secret, password, platformKey, passwordIn(database.url)]
    for (const secret of known) ledger.secrets.add(secret)
    const scene = { ...seeded, ...timeOf(), url: front.url, processes, database, ledger, receiver, stop }
    return await withSubscribers({ ...scene, subscribers: SUBSCRIBERS, busy: new Set() })
  } catch (error) {
    await stop()
    throw error
  }
}

function timeOf(): Pick<Scene, 'patience' | 'isOver' | 'clockJumps' | 'noteClockJump' | 'end'> {
  const patience = new AbortController()
  let isOver = false
  let clockJumps = 0
  return {
    patience: patience.signal,
    isOver: () => isOver,
    clockJumps: () => clockJumps,
    noteClockJump: () => {
      clockJumps += 1
    },
    end: (patienceMs) => {
      isOver = true
      setTimeout(() => patience.abort(), patienceMs).unref()
    },
  }
}

/** Webhooks that are there from the beginning to the end, and get every event. */
async function withSubscribers(scene: Scene): Promise<Scene> {
  const token = await machineToken(scene)
  for (const name of scene.subscribers) {
    const secret = newSecret()
    scene.receiver.expect(name, secret)
    const wanted = { url: scene.receiver.urlOf(name), secret, facility: scene.facilities.busy }
    const outcome = token === null ? null : await subscribe(scene, token, wanted)
    const webhook = scene.ledger.webhooks.at(-1)
    if (outcome?.kind !== 'done' || webhook === undefined) throw new Error('A subscriber could not be made')
    webhook.isFinal = true
  }
  return scene
}

export async function withDatabase<Value>(database: SoakDatabase, work: (db: Db) => Promise<Value>): Promise<Value> {
  const db = openDatabase({ url: database.adminUrl() }, { prepare: false, poolSize: 2 })
  try {
    return await work(db)
  } finally {
    await db.end({ timeout: 1 })
  }
}

function passwordIn(databaseUrl: string): string {
  return /:\/\/[^:]+:([^@]+)@/.exec(databaseUrl)?.[1] ?? ''
}
