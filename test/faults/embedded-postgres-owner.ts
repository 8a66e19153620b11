// A process that owns an embedded server, to be killed or asked to stop by a test; without arguments it does nothing.
import { writeSync } from 'node:fs'
import postgres from 'postgres'
import { type LaunchOptions, launchEmbeddedPostgres } from '../../src/platform/embedded-postgres/launch.ts'
import { OperatorError } from '../../src/platform/operator-error.ts'

const [, , options, work] = process.argv
if (options !== undefined) await own(JSON.parse(options), work)

async function own(given: Omit<LaunchOptions, 'say'>, task: string | undefined): Promise<void> {
  const said: string[] = []
  try {
    const server = await launchEmbeddedPostgres({ ...given, say: (line) => said.push(line) })
    tell({
      kind: 'ready',
      connection: server.connection,
      clusterFolder: server.clusterFolder,
      said,
      uid: process.getuid?.(),
    })
    process.stdin.once('data', () => {
      void server.stop().then(() => process.exit(0))
    })
    if (task !== 'insert') return
    const sql = postgres({ ...server.connection, max: 1, onnotice: () => undefined })
    await sql`create table if not exists acknowledged (id bigint generated always as identity primary key)`
    for (;;) {
      const [row] = await sql<{ id: string }[]>`insert into acknowledged default values returning id`
      tell({ kind: 'acknowledged', id: row?.id })
    }
  } catch (error) {
    tell({
      kind: 'failed',
      byOperator: error instanceof OperatorError,
      message: String(error instanceof Error ? error.message : error),
      said,
    })
    process.exit(1)
  }
}

function tell(message: object): void {
  writeSync(1, `${JSON.stringify(message)}\n`)
}
