import { execFile } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)
const ROOT = fileURLToPath(new URL('../..', import.meta.url))

export type ImageFolder = { folder: string; handover: string; remove: () => Promise<void> }

/**
 * What the Dockerfile puts into the image, in a folder: its COPY lines, and of the packages those that `npm ci --omit=dev
 * --omit=optional --ignore-scripts` installs. A file or a package that is missing there is missing here.
 */
export async function buildImageFolder(): Promise<ImageFolder> {
  const folder = await mkdtemp(join(tmpdir(), 'handover-image-'))
  await chmod(folder, 0o755)
  const sources = (await copyLines()).flatMap((line) => line.sources)
  await bring([...sources, ...(await installedPackages())], folder)
  // What the script of the package `node` fetched here, and does not there.
  await rm(join(folder, 'node_modules/node/bin'), { recursive: true, force: true })
  await mkdir(join(folder, 'node_modules/.bin'), { recursive: true })
  await symlink(process.execPath, join(folder, 'node_modules/.bin/node'))
  return { folder, handover: join(folder, 'bin/handover'), remove: () => rm(folder, { recursive: true, force: true }) }
}

/** As links to the same files where that is possible: thousands of them are copied in seconds, linked at once. */
async function bring(paths: readonly string[], folder: string): Promise<void> {
  const copy = (how: string) => run('cp', [how, '--parents', ...paths, folder], { cwd: ROOT })
  await copy('-rl').catch(() => copy('-rf'))
}

/** Of the last stage; what comes from another stage is left out. */
export async function copyLines(): Promise<Array<{ sources: string[]; target: string }>> {
  const dockerfile = await readFile(join(ROOT, 'Dockerfile'), 'utf8')
  const lastStage = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '))
  return [...lastStage.matchAll(/^COPY (?!--)(.*)$/gm)].map(([, words = '']) => {
    const all = words.split(' ')
    return { sources: all.slice(0, -1), target: all.at(-1) ?? '' }
  })
}

async function installedPackages(): Promise<string[]> {
  type Entry = { dev?: boolean; optional?: boolean; devOptional?: boolean }
  const { packages }: { packages: Record<string, Entry> } = JSON.parse(
    await readFile(join(ROOT, 'package-lock.json'), 'utf8'),
  )
  return Object.entries(packages).flatMap(([path, { dev, optional, devOptional }]) =>
    path === '' || dev || optional || devOptional ? [] : [path],
  )
}
