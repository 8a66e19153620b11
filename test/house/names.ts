import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { filesUnder } from './source-files.ts'
import { isNode, nodesOf, parseSource } from './syntax-tree.ts'

const folders = ['src', 'test', 'bench', 'soak', 'scripts']
const longest = 300
const longestReadme = 10
const drawers = 'util|helper|common|shared|manager|service|handler|base|misc|index|types'
const drawerWord = new RegExp(`^(?:${drawers})s?$`)
const code = /\.(ts|mjs|js)$/
const text = /\.(ts|mjs|js|css|html|sql|sh|md)$/
const describedFolder =
  /^src\/(?:(?:oidc|public-api|platform-api|portal|support|docs|delivery|cli|http|ui)|domain\/[^/]+)(?=\/)/

/** One line for each file whose name, size or exports break a habit of the house (CONTRIBUTING.md). */
export async function nameFaults(root: string): Promise<string[]> {
  const paths = (await Promise.all(folders.map((folder) => filesUnder(root, folder)))).flat()
  const ofFiles = await Promise.all(paths.map((path) => faultsOfFile(root, path)))
  return [...ofFiles.flat(), ...(await readmeFaults(root, paths))]
}

async function faultsOfFile(root: string, path: string): Promise<string[]> {
  const faults: string[] = []
  const drawer = path.split(/[/.-]/).find((word) => drawerWord.test(word))
  if (drawer !== undefined) faults.push(`${path}: "${drawer}" says nothing; name it after what it does`)
  if (!text.test(path)) return faults
  const source = await readFile(join(root, path), 'utf8')
  const lines = linesIn(source)
  if (lines > longest) faults.push(`${path}: ${lines} lines, the wall is ${longest}`)
  if (code.test(path)) faults.push(...(await exportFaults(path, source)))
  return faults
}

async function exportFaults(path: string, source: string): Promise<string[]> {
  const faults: string[] = []
  for (const node of nodesOf((await parseSource(source)).body)) {
    const name = node.type === 'ExportSpecifier' ? (node['exported'] ?? node['orig']) : undefined
    const isDefault = node.type.startsWith('ExportDefault') || (isNode(name) && name['value'] === 'default')
    if (isDefault) faults.push(`${path}: a default export; exports have names`)
    if (node.type === 'ExportAllDeclaration') faults.push(`${path}: passes on all of another file; no barrels`)
  }
  return faults
}

async function readmeFaults(root: string, paths: string[]): Promise<string[]> {
  const described = new Set(paths.flatMap((path) => describedFolder.exec(path)?.[0] ?? []))
  const faults: string[] = []
  for (const folder of described) {
    const readme = `${folder}/README.md`
    if (!paths.includes(readme)) {
      faults.push(`${readme}: missing; say what ${folder} owns, does not own and leans on`)
      continue
    }
    const lines = linesIn(await readFile(join(root, readme), 'utf8'))
    if (lines > longestReadme) faults.push(`${readme}: ${lines} lines, at most ${longestReadme}`)
  }
  return faults
}

function linesIn(source: string): number {
  return source.replace(/\n$/, '').split('\n').length
}
