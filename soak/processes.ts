import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { open, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const COMPILED = join(ROOT, 'node_modules/.cache/handover/compiled')
/** A receiver on this machine would be refused, so every name in the world is that of ours. */
const PRELOADED = ['soak/memory.ts', 'test/harness/one-receiver.ts']
const ARGUMENTS = [
  '--expose-gc',
  ...PRELOADED.flatMap((file) => ['--import', join(ROOT, file)]),
  join(ROOT, 'src/main.ts'),
  'serve',
]
const START_AGAIN_MS = 300
const START_PATIENCE_MS = 120_000

/** What a process holds, when its garbage has been collected. */
export type Held = { heapBytes: number; rssBytes: number; descriptors: number }

/** One life of a process, from a start to its end. */
export type Life = { name: string; readyAt: number; early: Held | null; late: Held | null }

/** A process of the service, and whoever watches over it: when it ends, for whatever reason, it is started again. */
export type WatchedProcess = {
  url: string
  logFile: string
  /** Its lives so far that came to be ready. */
  lives: Life[]
  /** How it ended where nobody had ended it. A start that fails while its database is away is no such end. */
  endings: string[]
  /** The latest life is ready. */
  isReady: () => boolean
  ready: () => Promise<void>
  kill: () => void
  /** Null while it does not run. */
  hold: () => Promise<Held | null>
  stop: () => Promise<void>
}

type Plan = { number: number; port: number; folder: string; env: Record<string, string> }

export function watchProcess({ number, port, folder, env }: Plan): WatchedProcess {
  const url = `http://127.0.0.1:${port}`
  const logFile = join(folder, `process-${number}.log`)
  const lives: Life[] = []
  const endings: string[] = []
  const now: { child: ChildProcess | null; isReady: boolean; wasKilled: boolean; isStopping: boolean } = {
    child: null,
    isReady: false,
    wasKilled: false,
    isStopping: false,
  }

  async function live(): Promise<void> {
    const log = await open(logFile, 'a')
    const child = spawn(process.execPath, ARGUMENTS, {
      env: { PATH: process.env['PATH'] ?? '', NODE_COMPILE_CACHE: COMPILED, ...env, PORT: String(port) },
      stdio: ['ignore', log.fd, log.fd, 'pipe'],
    })
    await log.close()
    Object.assign(now, { child, wasKilled: false })
    const ended = once(child, 'close')
    void greet(child)
    await ended
    if (now.isReady && !now.wasKilled && !now.isStopping)
      endings.push(`process ${number}: ${child.signalCode ?? child.exitCode}`)
    Object.assign(now, { child: null, isReady: false })
  }

  async function greet(child: ChildProcess): Promise<void> {
    const isOurs = await becomesReady(url, () => now.child === child && child.exitCode === null)
    if (!isOurs || now.child !== child) return
    now.isReady = true
    const name = `process ${number}, life ${lives.length + 1}`
    lives.push({ name, readyAt: performance.now(), early: null, late: null })
  }

  const watching = (async () => {
    while (!now.isStopping) {
      await live()
      if (!now.isStopping) await sleep(START_AGAIN_MS)
    }
  })()

  return {
    url,
    logFile,
    lives,
    endings,
    isReady: () => now.isReady,
    ready: async () => {
      for (const deadline = performance.now() + START_PATIENCE_MS; !now.isReady; await sleep(20)) {
        if (performance.now() < deadline) continue
        throw new Error(`Process ${number} does not start: ${(await readFile(logFile, 'utf8')).slice(-2_000)}`)
      }
    },
    kill: () => {
      Object.assign(now, { wasKilled: true, isReady: false })
      now.child?.kill('SIGKILL')
    },
    hold: async () => (now.child === null || !now.isReady ? null : heldBy(now.child)),
    stop: async () => {
      now.isStopping = true
      now.child?.kill('SIGKILL')
      await watching
    },
  }
}

async function becomesReady(url: string, isAlive: () => boolean): Promise<boolean> {
  while (isAlive()) {
    const answer = await fetch(`${url}/readyz`, { headers: { connection: 'close' } }).catch(() => null)
    await answer?.arrayBuffer().catch(() => null)
    if (answer?.status === 200) return true
    await sleep(50)
  }
  return false
}

async function heldBy(child: ChildProcess): Promise<Held | null> {
  const line = child.stdio[3]
  if (line === null || line === undefined || !('on' in line)) return null
  const heard = new AbortController()
  const said = once(line, 'data', { signal: heard.signal }).then(([chunk]) => String(chunk))
  const ended = once(child, 'close', { signal: heard.signal }).then(() => null)
  child.kill('SIGUSR2')
  const heap = await Promise.race([said, ended])
  for (const other of [said, ended]) other.catch(() => {})
  heard.abort()
  if (heap === null) return null
  const [status, descriptors] = await Promise.all([
    readFile(`/proc/${child.pid}/status`, 'utf8').catch(() => ''),
    readdir(`/proc/${child.pid}/fd`).catch(() => []),
  ])
  const rss = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]
  return rss === undefined
    ? null
    : { heapBytes: Number(heap), rssBytes: Number(rss) * 1_024, descriptors: descriptors.length }
}
