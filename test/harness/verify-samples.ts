import { execFile, spawnSync } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { WebhookVector } from '../../scripts/webhook-vectors.ts'

/** A language of the page about verifying: what has to be on the machine, and how a sample is run with its driver. */
export type SampleLanguage = {
  name: string
  /** The first word behind the fence. */
  fence: string
  tools: readonly string[]
  driver: string
  /** Where the sample stands beside the driver. */
  sample: string
  /** Of a compiler; null where there is none. */
  build: readonly string[] | null
  run: readonly string[]
  /** What else has to be there. */
  files?: Readonly<Record<string, string>>
}

export const SAMPLE_LANGUAGES: readonly SampleLanguage[] = [
  {
    name: 'Node',
    fence: 'js',
    tools: [process.execPath],
    driver: 'driver.mjs',
    sample: 'sample.mjs',
    build: null,
    run: [process.execPath, 'driver.mjs', 'sample.mjs'],
  },
  {
    name: 'Python',
    fence: 'python',
    tools: ['python3'],
    driver: 'driver.py',
    sample: 'sample.py',
    build: null,
    run: ['python3', '-B', 'driver.py'],
  },
  {
    name: 'Go',
    fence: 'go',
    tools: ['go'],
    driver: 'driver.go',
    sample: 'webhooks/verify.go',
    build: ['go', 'build', '-o', 'driver', '.'],
    run: ['./driver'],
    files: { 'go.mod': 'module sample\n\ngo 1.20\n' },
  },
  {
    name: 'Java',
    fence: 'java',
    tools: ['javac', 'java'],
    driver: 'Driver.java',
    sample: 'WebhookVerifier.java',
    build: ['javac', '--release', '11', 'Driver.java', 'WebhookVerifier.java'],
    run: ['java', '-XX:TieredStopAtLevel=1', 'Driver'],
  },
  {
    name: 'PHP',
    fence: 'php',
    tools: ['php'],
    driver: 'driver.php',
    sample: 'sample.php',
    build: null,
    run: ['php', '-d', 'error_reporting=-1', '-d', 'display_errors=stderr', 'driver.php'],
  },
  {
    name: 'Ruby',
    fence: 'ruby',
    tools: ['ruby'],
    driver: 'driver.rb',
    sample: 'sample.rb',
    build: null,
    run: ['ruby', '-W', 'driver.rb'],
  },
  {
    name: 'C#',
    fence: 'csharp',
    tools: ['mcs', 'mono'],
    driver: 'Driver.cs',
    sample: 'WebhookVerifier.cs',
    build: ['mcs', '-langversion:latest', '-out:driver.exe', 'Driver.cs', 'WebhookVerifier.cs'],
    run: ['mono', 'driver.exe'],
  },
]

const DRIVERS = join(import.meta.dirname, '../docs/verify-drivers')

/** Why a language cannot be run on this machine; false when it can. */
export function languageMissing({ name, tools }: SampleLanguage): string | false {
  const tool = tools.find((each) => spawnSync('sh', ['-c', `command -v "$0"`, each]).status !== 0)
  return tool !== undefined && `the ${name} sample is not run: there is no ${tool} on this machine`
}

/** The block of a page that begins with this fence, as it stands. */
export function blockOf(page: string, fence: string): string | null {
  const [, block] = new RegExp(`^\`\`\`${fence}\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(page) ?? []
  return block ?? null
}

/** What the sample says to each vector: all of them in one process. */
export async function runSample(
  language: SampleLanguage,
  sample: string,
  vectors: ReadonlyArray<Pick<WebhookVector, 'secrets' | 'headers' | 'body' | 'now'>>,
): Promise<boolean[]> {
  const folder = await mkdtemp(join(tmpdir(), 'handover-sample-'))
  try {
    await mkdir(join(folder, 'webhooks'))
    await copyFile(join(DRIVERS, language.driver), join(folder, language.driver))
    await writeFile(join(folder, language.sample), sample)
    for (const [name, text] of Object.entries(language.files ?? {})) await writeFile(join(folder, name), text)
    if (language.build !== null) await runIn(folder, language.build, '')
    const said = await runIn(folder, language.run, vectors.map(lineOf).join(''))
    return said
      .trimEnd()
      .split('\n')
      .map((line) => line.trim() === 'true')
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Not every language brings a reader of JSON, so that drivers get lines: time, secrets, headers, body. */
function lineOf({ now, secrets, headers, body }: Pick<WebhookVector, 'secrets' | 'headers' | 'body' | 'now'>): string {
  const named = Object.entries(headers).map(([name, value]) => item(name, value))
  const fields = [now, secrets.map((secret) => item('secret', secret)).join(','), named.join(','), item('body', body)]
  return `${fields.join('\t')}\n`
}

function item(name: string, value: string): string {
  return `${name}:${Buffer.from(value).toString('base64')}`
}

/** Its output; whatever it complains of is an error, and so is any other exit code than 0. */
async function runIn(folder: string, [command = '', ...args]: readonly string[], input: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile(command, args, { cwd: folder, maxBuffer: 1e7 }, (error, out, complaints) => {
      if (error === null && complaints === '') resolve(out)
      else reject(new Error(`${command} ${args.join(' ')}: ${complaints || (error?.message ?? '')}`))
    })
    child.stdin?.on('error', () => {})
    child.stdin?.end(input)
  })
}
