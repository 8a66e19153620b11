import { rm } from 'node:fs/promises'
import { OperatorError } from '../../platform/operator-error.ts'
import type { Terminal } from '../../platform/terminal.ts'
import { callApi } from '../call-api.ts'
import type { Connection } from '../connection.ts'
import type { Output } from '../output.ts'
import { Refused } from '../refused.ts'
import { journalFile } from './journal.ts'

/** `listen --remove`: nothing waits for it from now on, and what this computer remembers of it is gone, too. */
export async function removeListener(
  { env }: Pick<Terminal, 'env'>,
  connection: Connection,
  output: Output,
  name: string,
): Promise<void> {
  await callApi(connection, { method: 'DELETE', path: `/sandbox/listeners/${name}` }).catch((error: unknown) => {
    if (!(error instanceof Refused && error.code === 'not_found')) throw error
    throw new OperatorError(`This application has no listener "${name}". Another one is named by --name.`)
  })
  await rm(journalFile(env, { ...connection, name }), { force: true })
  output.record({ kind: 'removed', name }, `The listener "${name}" is removed, and what waited for it is cancelled.`)
}
