import * as fs from 'node:fs'
import { join } from 'node:path'
import { codeOf, root, SetUpError, say } from './run.mjs'

const lockFile = join(root, '.set-up.lock')

/** @param {number} milliseconds */
const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds))

/** @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0)
    // Where nobody collects the dead (a container without an init), a killed process stays listed as a zombie.
    return !(fs.existsSync(`/proc/${pid}/stat`) && fs.readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z '))
  } catch (error) {
    return codeOf(error) === 'EPERM'
  }
}

/** Whether another set-up lives. The lock of one that was killed counts for nothing, nor does a very old one. */
function isHeld() {
  try {
    const age = Date.now() - fs.statSync(lockFile).mtimeMs
    const pids = fs.readFileSync(lockFile, 'utf8').split(' ').map(Number).filter(Boolean)
    return pids.length === 0 ? age < 2000 : age < 15 * 60 * 1000 && pids.some(isAlive)
  } catch {
    return false
  }
}

async function take() {
  for (let waiting = false; ; await sleep(100)) {
    try {
      fs.writeFileSync(lockFile, String(process.pid), { flag: 'wx' })
      return
    } catch (error) {
      if (codeOf(error) !== 'EEXIST')
        throw new SetUpError(`cannot write to ${root} (${codeOf(error)}); make it yours (chown) and try again`)
    }
    if (!isHeld()) fs.rmSync(lockFile, { force: true })
    else if (!waiting) {
      waiting = true
      say('another set-up is at work here, waiting for it (if that is not so: rm .set-up.lock) …')
    }
  }
}

/**
 * Of two set-ups in one folder the second waits for the first.
 * @param {(started: (pid: number) => void) => Promise<void>} work
 */
export async function oneAtATime(work) {
  await take()
  try {
    // When we are killed outright our child goes on: with its number in the lock, the next set-up waits for it.
    await work((pid) => fs.writeFileSync(lockFile, `${process.pid} ${pid}`))
  } finally {
    fs.rmSync(lockFile, { force: true })
  }
}
