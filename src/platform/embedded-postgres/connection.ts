import { readPassword, role } from './access-rules.ts'
import { type Postmaster, socketPath } from './postmaster.ts'

/** Can be spread into the options of postgres.js. */
export type EmbeddedConnection = {
  host: string
  port: number
  path?: string
  username: string
  password?: string
  database: string
  ssl: false
}

export const applicationDatabase = 'handover'

export async function connectionTo(postmaster: Postmaster, place: string): Promise<EmbeddedConnection> {
  const same = { port: postmaster.port, username: role, database: applicationDatabase, ssl: false as const }
  return postmaster.socketFolder === ''
    ? { ...same, host: '127.0.0.1', password: await readPassword(place) }
    : { ...same, host: 'localhost', path: socketPath(postmaster.socketFolder, postmaster.port) }
}
