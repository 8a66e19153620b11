import { execFile } from 'node:child_process'
import { stat } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { promisify } from 'node:util'
import { OperatorError } from '../operator-error.ts'
import { type Account, runAs } from './run-as.ts'

const unprivileged = 'nobody'

/**
 * PostgreSQL refuses to run as root, so root lends it the existing account `nobody`, or the account that already owns
 * the cluster (somebody who started as an ordinary user before). No account is ever created.
 */
export async function chooseAccount(clusterFolder: string): Promise<Account> {
  const me = whoAmI()
  if (me.uid !== 0) return me
  const owner = await stat(clusterFolder).catch(() => null)
  const account =
    owner !== null && owner.uid !== 0
      ? { uid: owner.uid, gid: owner.gid, name: `uid ${owner.uid}`, other: true }
      : { uid: await lookUp('-u'), gid: await lookUp('-g'), name: unprivileged, other: true }
  const { code, spawnError } = await runAs(account, '/bin/sh', ['-c', ':'])
  if (code === 0) return account
  throw new OperatorError(
    `PostgreSQL refuses to run as root, and this root may not run programs as ${account.name} (${spawnError ?? `code ${code}`}): ` +
      'start as an ordinary user, or set DATABASE_URL to a PostgreSQL server.',
  )
}

/** initdb and peer authentication both look the account up, so a uid without a name cannot work. */
function whoAmI(): Account {
  try {
    const { uid, gid, username } = userInfo()
    return { uid, gid, name: username, other: false }
  } catch {
    throw new OperatorError(
      `The embedded PostgreSQL cannot run as uid ${process.getuid?.() ?? '?'}, which has no entry in the passwd file: ` +
        'set DATABASE_URL to a PostgreSQL server, or run as an account that has a name.',
    )
  }
}

export function currentUserName(): string {
  return whoAmI().name
}

async function lookUp(flag: '-u' | '-g'): Promise<number> {
  try {
    const { stdout } = await promisify(execFile)('id', [flag, unprivileged])
    return Number.parseInt(stdout, 10)
  } catch {
    throw new OperatorError(
      `PostgreSQL refuses to run as root and there is no account "${unprivileged}" to lend it: ` +
        'start as an ordinary user, or set DATABASE_URL to a PostgreSQL server.',
    )
  }
}
