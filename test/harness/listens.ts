import type { ChildProcess } from 'node:child_process'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { PATIENCE_MS } from './soon.ts'

/** Waits until somebody else's program takes connections; false when it ended before, or took too long. */
export async function listens(port: number, program: ChildProcess): Promise<boolean> {
  for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline && program.exitCode === null; await sleep(20)) {
    const open = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1')
        .once('connect', () => resolve(true))
        .once('error', () => resolve(false))
        .once('close', () => socket.destroy())
      socket.end()
    })
    if (open) return true
  }
  return false
}
