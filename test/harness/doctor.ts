import { doctorCommand } from '../../src/app/commands/doctor.ts'

export type Finding = {
  check: string
  state: 'ok' | 'warning' | 'wrong' | 'skipped'
  says: string
  advice: string | null
}

export type Examination = {
  findings: Finding[]
  /** The first of that name. */
  of: (check: string) => Finding | undefined
  states: (...checks: string[]) => Array<Finding['state'] | undefined>
  /** What the command says to who reads the exit code; null when it is 0. */
  failed: string | null
  /** All of its output. */
  text: string
}

/** `handover doctor --json` in this process, with the settings of a deployment. */
export async function askDoctor(env: Record<string, string>, ...args: string[]): Promise<Examination> {
  let text = ''
  let failed: string | null = null
  const take = (line: string) => {
    text += line
  }
  try {
    await doctorCommand.run({ env, print: take, warn: take }, ['--json', ...args])
  } catch (error) {
    failed = error instanceof Error ? error.message : String(error)
  }
  const { findings }: { findings: Finding[] } = JSON.parse(text)
  const of = (check: string) => findings.find((finding) => finding.check === check)
  return {
    findings,
    of,
    states: (...checks) => checks.map((check) => of(check)?.state),
    failed,
    text: text + (failed ?? ''),
  }
}
