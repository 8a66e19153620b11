import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SoakDatabase } from '../database.ts'
import { createPostgresServer, type PostgresServer } from './postgres-server.ts'

/** Data and write-ahead log on a disk each: a full one means an error in the first case, and the end of the server in the second. */
const DATA_SIZE = '300m'
const WAL_SIZE = '120m'
const SETTINGS = { max_wal_size: '64MB', min_wal_size: '32MB', wal_recycle: 'off' }

// A disk outlives the process that mounted it.
const mounted = new Set<string>()
process.once('exit', () => mounted.forEach(unmount))

/** False, or why there is no small disk here. */
export function smallDiskMissing(): false | string {
  if (process.getuid?.() !== 0) return 'only root may mount a small disk'
  try {
    execFileSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'none', '/mnt'], { stdio: 'ignore' })
    return false
  } catch {
    return 'this system does not let root mount a disk'
  }
}

export async function startOnSmallDisk(): Promise<SoakDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'handover-soak-disk-'))
  const data = await mountDisk(join(folder, 'data'), DATA_SIZE)
  const wal = await mountDisk(join(folder, 'wal'), WAL_SIZE)
  // The server's own log is on neither: that it cannot be written is another fault.
  const server = await createPostgresServer({
    folder,
    settings: SETTINGS,
    dataFolder: data,
    walFolder: join(wal, 'wal'),
  })
  return {
    url: server.url,
    faults: {
      fillData: () => fill(data),
      /** The server ends itself when it cannot write its log, tries to recover, and may give up. */
      fillWal: async () => {
        await fill(wal)
        await useUp(server)
      },
      /** Room again, and whoever watches over the server starts it where it has ended. */
      free: async () => {
        for (const disk of [data, wal]) await rm(join(disk, 'ballast'), { force: true })
        await server.start()
      },
    },
    log: server.log,
    adminUrl: () => server.url,
    stop: async () => {
      await server.end('SIGKILL')
      for (const disk of [data, wal]) unmount(disk)
      await server.remove()
    },
  }
}

async function mountDisk(disk: string, size: string): Promise<string> {
  await mkdir(disk)
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=755`, 'none', disk])
  mounted.add(disk)
  return disk
}

function unmount(disk: string): void {
  execFileSync('umount', ['--lazy', disk])
  mounted.delete(disk)
}

/** What room there was for the log in advance. Its end is the fault. */
async function useUp(server: PostgresServer): Promise<void> {
  const next = "select pg_switch_wal() from pg_logical_emit_message(true, 'soak', 'full')"
  for (let turn = 0; turn < 20; turn += 1) {
    const went = await server.run(next).then(
      () => true,
      () => false,
    )
    if (!went) return
  }
  throw new Error('There is always room for more of the log')
}

/** To the last byte. */
async function fill(disk: string): Promise<void> {
  const file = await open(join(disk, 'ballast'), 'a')
  try {
    for (let size = 1_048_576; size >= 1; ) {
      const full = await file.write(Buffer.alloc(size)).then(
        () => false,
        (error: unknown) => isNoSpace(error),
      )
      if (full) size = Math.floor(size / 16)
    }
  } finally {
    await file.close()
  }
}

function isNoSpace(error: unknown): true {
  if (error instanceof Error && 'code' in error && error.code === 'ENOSPC') return true
  throw error
}
