import { globSync } from 'node:fs'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Not the one for threads: it locks when it is asked the time, and PostgreSQL asks again in the middle of that, in a signal. */
const LIBRARY = globSync('/usr/lib/*/faketime/libfaketime.so.1')[0]

/** False, or why no clock can be set here. */
export const clocksMissing = LIBRARY === undefined && 'libfaketime is not installed: apt-get install libfaketime'

/** Clocks of single processes, each as wrong as we say, from one moment to the next. */
export type Clocks = {
  /** The environment of a process that goes by this clock. */
  env: (name: string) => Record<string, string>
  /** So many seconds off from now on; 0 is right. */
  set: (name: string, seconds: number) => Promise<void>
  remove: () => Promise<void>
}

/** Only what tells the time of day is off: how long something takes is still measured rightly, as on a machine whose clock is set. */
export async function makeClocks(names: readonly string[]): Promise<Clocks> {
  const folder = await mkdtemp(join(tmpdir(), 'handover-soak-clocks-'))
  // PostgreSQL runs under another account than root.
  await chmod(folder, 0o755)
  const file = (name: string) => join(folder, name)
  const set = (name: string, seconds: number) => writeFile(file(name), `${seconds < 0 ? '' : '+'}${seconds}\n`)
  for (const name of names) await set(name, 0)
  return {
    env: (name) => ({
      LD_PRELOAD: LIBRARY ?? '',
      FAKETIME_TIMESTAMP_FILE: file(name),
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      DONT_FAKE_MONOTONIC: '1',
    }),
    set,
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}
