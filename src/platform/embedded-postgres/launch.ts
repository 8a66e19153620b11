import { realpath } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { resolve } from 'node:path'
import { OperatorError } from '../operator-error.ts'
import { postgres } from '../postgres-js.ts'
import { chooseAccount } from './account.ts'
import { findBinaries } from './binaries.ts'
import { ensureCluster } from './cluster.ts'
import { applicationDatabase, connectionTo, type EmbeddedConnection } from './connection.ts'
import { failure, folderFailure } from './failure.ts'
import { removeUnusedSocketFolders } from './listening.ts'
import { type Ownership, takeOwnership } from './ownership.ts'
import { clusterIn, placeIn, preparePlace } from './place.ts'
import { lookForPostmaster, type Postmaster } from './postmaster.ts'
import { ensureServer, stopServer } from './server.ts'
import type { ServerPlan } from './start-server.ts'

export type EmbeddedPostgres = {
  connection: EmbeddedConnection
  clusterFolder: string
  /** Stops the server within 15 seconds and leaves nothing of it behind but the data. May be called again. */
  stop(): Promise<void>
}

export type LaunchOptions = {
  dataFolder: string
  /** Notices for the operator. */
  say: (line: string) => void
  /** More settings of the server, for tests. */
  settings?: Record<string, string>
  /** The folder of another installation's initdb and postgres. */
  binaries?: string
  /** Where root puts what the server's account cannot reach. */
  shelter?: string
  /** Folders that may hold the socket's private folder, the best first. */
  socketParents?: string[]
}

/** Brings up the PostgreSQL of the data folder, or takes over one whose owner died, and owns it until `stop`. */
export async function launchEmbeddedPostgres(options: LaunchOptions): Promise<EmbeddedPostgres> {
  try {
    return await launch(options)
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) throw folderFailure(resolve(options.dataFolder), error)
    if (error instanceof postgres.PostgresError) {
      throw failure(`The embedded PostgreSQL of ${resolve(options.dataFolder)} answered with an error`, error.message)
    }
    throw error
  }
}

/** For commands that run beside the live server of the same folder: how to reach it, or null when none runs. */
export async function findRunningEmbeddedPostgres(dataFolder: string): Promise<EmbeddedConnection | null> {
  const place = await realpath(placeIn(dataFolder)).catch(() => null)
  if (place === null) return null
  try {
    const { live } = await lookForPostmaster(clusterIn(place))
    return live?.ready === true ? await connectionTo(live, place) : null
  } catch (error) {
    throw folderFailure(resolve(dataFolder), error)
  }
}

async function launch(options: LaunchOptions): Promise<EmbeddedPostgres> {
  const { dataFolder, say, settings = {}, shelter = '/var/lib/handover' } = options
  const account = await chooseAccount(clusterIn(placeIn(dataFolder)))
  const place = await preparePlace(dataFolder, account, shelter, say)
  const clusterFolder = clusterIn(place)
  const binaries = await findBinaries(account, options.binaries, account.other ? [shelter, place] : [place])
  await ensureCluster(clusterFolder, account, binaries, settings['fsync'] !== 'off')
  const socketParents = options.socketParents ?? [place, tmpdir(), '/tmp']
  const plan = { place, clusterFolder, account, binaries, socketParents, settings }
  const { postmaster, ownership } = await ownServer(plan, resolve(dataFolder))

  let stopped: Promise<void> | undefined
  const stop = () => (stopped ??= ownership.end(() => stopServer(clusterFolder)))
  try {
    await removeUnusedSocketFolders(place, postmaster.socketFolder)
    await ownership.ensureDatabase(applicationDatabase)
    return { connection: await connectionTo(postmaster, place), clusterFolder, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Several starts may come here at once, each with or without a server of its own: the lock chooses one. */
async function ownServer(plan: ServerPlan, folder: string): Promise<{ postmaster: Postmaster; ownership: Ownership }> {
  for (let turn = 0; turn < 20; turn++) {
    const postmaster = await ensureServer(plan)
    const outcome = await takeOwnership(await connectionTo(postmaster, plan.place))
    if (outcome.kind === 'owned') return { postmaster, ownership: outcome.ownership }
    if (outcome.kind === 'taken') {
      throw new OperatorError(
        `Another handover (${outcome.by}) is already running on ${folder}: stop it, or set HANDOVER_DATA_DIR to another folder.`,
      )
    }
  }
  throw new OperatorError(
    `The PostgreSQL of ${folder} keeps being stopped while this starts: look for what stops it, then start again.`,
  )
}
