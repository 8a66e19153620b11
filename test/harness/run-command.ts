import type { Command } from '../../src/platform/command.ts'
import { OperatorError } from '../../src/platform/operator-error.ts'

/** What a command printed, line by line, and the one sentence that it failed with. */
export type Ran = { out: string; err: string; failed: string | null; json: () => unknown[] }

/** A command of integrators in this process, as a script runs it: its output is a pipe. */
export async function runCommand(
  command: Command,
  args: string[],
  env: Record<string, string> = {},
  input?: string | Buffer,
): Promise<Ran> {
  const out: string[] = []
  const err: string[] = []
  let failed: string | null = null
  try {
    await command.run(
      {
        env,
        print: (text) => void out.push(text),
        warn: (text) => void err.push(text),
        input: async () => Buffer.from(input ?? ''),
      },
      args,
    )
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    failed = error.message
  }
  return {
    out: out.join('\n'),
    err: err.join('\n'),
    failed,
    json: () => out.map((line): unknown => JSON.parse(line)),
  }
}
