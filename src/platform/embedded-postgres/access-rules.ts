import { randomBytes } from 'node:crypto'
import { chmod, chown, link, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { attemptName, removeAbandonedAttempts } from './attempt.ts'
import type { Binaries } from './binaries.ts'
import { failure, reasonOf } from './failure.ts'
import { type Account, codeOf, runAs } from './run-as.ts'

/** The only role; it owns everything. */
export const role = 'handover'

export type AccessRules = { hbaFile: string; identFile: string }

/**
 * Who may connect, written anew at every start and kept outside the cluster. Over the socket the kernel vouches for
 * the caller's account, so no password exists; over loopback a random one is asked for.
 */
export async function writeAccessRules(
  place: string,
  door: 'socket' | 'loopback',
  userName: string,
): Promise<AccessRules> {
  const rule = {
    socket: `local all ${role} peer map=${role}\n`,
    loopback: `host all ${role} 127.0.0.1/32 scram-sha-256\n`,
  }[door]
  const accounts = [...new Set(['root', userName])].map((name) => `${role} "${name}" ${role}\n`)
  const rules = { hbaFile: join(place, 'pg_hba.conf'), identFile: join(place, 'pg_ident.conf') }
  await replaceFile(rules.hbaFile, rule)
  await replaceFile(rules.identFile, accounts.join(''))
  return rules
}

export async function readPassword(place: string): Promise<string> {
  return readFile(join(place, 'password'), 'utf8')
}

/**
 * Gives the role the password of the password file, which is made once and then stays, so that starts at the same
 * moment agree on it. It goes through a single-user server's input: arguments and environment can be read by others.
 */
export async function setPassword(
  place: string,
  clusterFolder: string,
  account: Account,
  binaries: Binaries,
): Promise<void> {
  await makePasswordFile(join(place, 'password'))
  const statement = `alter role ${role} password '${await readPassword(place)}'\n`
  const quiet = ['-c', 'log_min_error_statement=panic', '-c', 'log_error_verbosity=terse']
  const result = await runAs(
    account,
    binaries.postgres,
    ['--single', '-D', clusterFolder, ...quiet, 'postgres'],
    statement,
  )
  const lostRace = /lock file "postmaster.pid"/.test(result.stderr)
  if (!lostRace && (result.code !== 0 || result.stderr.includes('ERROR:'))) {
    throw failure('The embedded PostgreSQL could not set its password', reasonOf(result))
  }
}

async function makePasswordFile(file: string): Promise<void> {
  const owner = await stat(dirname(file))
  await underAnotherName(file, async (draft) => {
    await writeFile(draft, randomBytes(24).toString('hex'), { mode: 0o600, flag: 'wx' })
    await chown(draft, owner.uid, owner.gid)
    await link(draft, file).catch((error: unknown) => {
      if (codeOf(error) !== 'EEXIST') throw error
    })
  })
}

async function replaceFile(file: string, content: string): Promise<void> {
  await underAnotherName(file, async (draft) => {
    await writeFile(draft, content, { flag: 'wx' })
    await chmod(draft, 0o644)
    await rename(draft, file)
  })
}

async function underAnotherName(file: string, work: (draft: string) => Promise<void>): Promise<void> {
  await removeAbandonedAttempts(file)
  const draft = await attemptName(file)
  try {
    await work(draft)
  } finally {
    await rm(draft, { force: true })
  }
}
