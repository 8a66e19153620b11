import { execFile } from 'node:child_process'

/** A known vulnerability in a package that we would install. */
export type Advisory = { id: string; name: string; severity: string; title: string; range: string }

export type AuditAnswer = { outcome: 'answered'; advisories: Advisory[] } | { outcome: 'not-done'; reason: string }

type Via = { name?: string; title?: string; url?: string; severity?: string; range?: string; source?: number }
type Report = { vulnerabilities?: Record<string, { via: Array<Via | string> }>; message?: string }

const PATIENCE_MS = 30_000
/** One try of ten seconds: a registry that does not take audits says so at once, and no test run waits for one that is away. */
const IMPATIENT = ['--fetch-retries=0', '--fetch-timeout=10000']

/** `npm audit` by the lock file of the folder, at the registry that npm is set to. */
export async function askRegistry(
  folder: string,
  { withTools, env = {} }: { withTools: boolean; env?: Record<string, string> },
): Promise<AuditAnswer> {
  const which = withTools ? [] : ['--omit=dev']
  const args = ['audit', '--json', '--package-lock-only', ...which, ...IMPATIENT]
  const output = await outputOf('npm', args, folder, env)
  if (typeof output !== 'string') return output
  const report = parsed(output)
  if (report === null) return { outcome: 'not-done', reason: 'npm audit said nothing that can be read' }
  if (report.vulnerabilities === undefined)
    return { outcome: 'not-done', reason: withoutAddresses(report.message ?? 'nothing') }
  return { outcome: 'answered', advisories: advisoriesIn(report.vulnerabilities) }
}

function outputOf(
  program: string,
  args: string[],
  cwd: string,
  env: Record<string, string>,
): Promise<string | AuditAnswer> {
  return new Promise((resolve) => {
    const settings = { cwd, env: { ...process.env, ...env }, timeout: PATIENCE_MS, maxBuffer: 64 * 1024 * 1024 }
    // npm ends with 1 when it found something and when it could not ask; what it wrote tells which.
    execFile(program, args, settings, (error, stdout) => {
      if (error?.killed) resolve({ outcome: 'not-done', reason: `no answer within ${PATIENCE_MS / 1_000} s` })
      else if (error && typeof error.code === 'string')
        resolve({ outcome: 'not-done', reason: `npm does not start (${error.code})` })
      else resolve(stdout)
    })
  })
}

function parsed(output: string): Report | null {
  try {
    const report: unknown = JSON.parse(output)
    return typeof report === 'object' ? report : null
  } catch {
    return null
  }
}

/** The same advisory reaches every package that leads to it; only where it is about the package itself it has a title. */
function advisoriesIn(vulnerabilities: NonNullable<Report['vulnerabilities']>): Advisory[] {
  const found = new Map<string, Advisory>()
  for (const via of Object.values(vulnerabilities).flatMap((each) => each.via)) {
    if (typeof via === 'string') continue
    const id = via.url?.split('/').at(-1) ?? String(via.source)
    const { name = '', severity = 'unknown', title = '', range = '' } = via
    found.set(`${id} ${name}`, { id, name, severity, title, range })
  }
  return [...found.values()]
}

/** A registry's address may be an inner one, and may have a password in it. */
function withoutAddresses(reason: string): string {
  const shown = reason.replace(/ - (?:GET|POST) https?:\/\/\S+.*/s, '').replaceAll(/https?:\/\/\S+/g, 'its address')
  return `the registry says ${shown}`
}
