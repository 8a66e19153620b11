import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'yaml'

/** As much of a compose file as we use. */
export type ComposeService = {
  image?: string
  command?: string[]
  environment?: Record<string, string>
  secrets?: Array<string | { source: string; target: string }>
  networks?: string[]
  ports?: string[]
  volumes?: string[]
  tmpfs?: string[]
  read_only?: boolean
  cap_drop?: string[]
  deploy?: { replicas: number }
  healthcheck?: { test?: string[]; disable?: boolean }
  depends_on?: Record<string, { condition: string }>
  stop_grace_period?: string
}
export type ComposeFile = {
  services: Record<string, ComposeService>
  networks: Record<string, { internal?: boolean }>
  volumes: Record<string, object>
  secrets: Record<string, { file: string }>
}

export async function readCompose(): Promise<ComposeFile> {
  const source = await readFile(new URL('../../compose.yaml', import.meta.url), 'utf8')
  const read: ComposeFile = parse(source, { merge: true })
  return read
}

/** `${NAME:-default}`, `${NAME:?what is missing}` and `${NAME}`, as compose fills them in. */
export function filledIn(text: string, given: Record<string, string>): string {
  return text.replaceAll(/\$\{(\w+)(?::([-?])([^}]*))?\}/g, (_, name: string, kind?: string, rest?: string) => {
    const value = given[name]
    if (value !== undefined && value !== '') return value
    if (kind === '?') throw new Error(`${name} is missing: ${rest}`)
    return kind === '-' ? (rest ?? '') : ''
  })
}

/** The names of a service's secrets, and where each is in its container. */
export function secretsOf({ secrets = [] }: ComposeService): Array<{ source: string; target: string }> {
  return secrets.map((secret) =>
    typeof secret === 'string' ? { source: secret, target: `/run/secrets/${secret}` } : secret,
  )
}

export type ServiceEnvironment = {
  env: Record<string, string>
  /** One more file beside the secrets. Answers where it is. */
  file: (name: string, content: string) => Promise<string>
  remove: () => Promise<void>
}

/** The environment of a service, with its secrets as files of these contents instead of those under /run/secrets. */
export async function environmentOf(
  service: ComposeService | undefined,
  given: Record<string, string>,
  secrets: Record<string, string>,
): Promise<ServiceEnvironment> {
  // Readable by the account of the image.
  const folder = await mkdtemp(join(tmpdir(), 'handover-secrets-'))
  await chmod(folder, 0o755)
  const file = async (name: string, content: string) => {
    await writeFile(join(folder, name), content, { mode: 0o444 })
    return join(folder, name)
  }
  for (const { source } of secretsOf(service ?? {})) {
    const content = secrets[source]
    if (content === undefined) throw new Error(`The test has no secret ${source}`)
    await file(source, content)
  }
  const env = Object.fromEntries(
    Object.entries(service?.environment ?? {}).map(([name, value]) => [
      name,
      filledIn(value, given).replace('/run/secrets/', `${folder}/`),
    ]),
  )
  return { env, file, remove: () => rm(folder, { recursive: true, force: true }) }
}
