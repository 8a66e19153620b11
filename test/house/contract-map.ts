import { readdir, readFile, stat } from 'node:fs/promises'
import { join, normalize } from 'node:path'

/** One statement of the contract; `files` and `tests` are what stands between backticks in their cells. */
export type ContractRow = {
  line: number
  id: string
  answeredBy: string[]
  files: string[]
  tests: Array<{ path: string; title: string | undefined }>
}

export type ContractMap = { headings: string[]; rows: ContractRow[]; faults: string[] }

const MAP = 'docs/contract-map.md'
const RECORDS = 'docs/decisions'
const COLUMNS = ['Id', 'Contract', 'Answered by', 'File', 'Test']
const ID = /^[A-Z]{3}-\d{2,}$/
const DECISION = /^[A-E]\d{1,2}$/

/** Reads the map's headings and rows; a row that cannot be read becomes a fault instead. */
export async function readContractMap(root: string): Promise<ContractMap> {
  const map: ContractMap = { headings: [], rows: [], faults: [] }
  const lines = (await readFile(join(root, MAP), 'utf8')).split('\n')
  for (const [position, text] of lines.entries()) {
    const line = position + 1
    const heading = /^#{2,} (.+)$/.exec(text)?.[1]
    if (heading !== undefined) map.headings.push(heading.trim())
    if (!text.trimStart().startsWith('|')) continue
    const cells = cellsOf(text)
    if (cells.every((cell) => /^:?-+:?$/.test(cell)) || cells.join() === COLUMNS.join()) continue
    const row = readRow(cells, line)
    if (typeof row === 'string') map.faults.push(row)
    else map.rows.push(row)
  }
  return map
}

/** One line for each place where the map does not tell the truth about the repository. */
export async function contractMapFaults(root: string): Promise<string[]> {
  const { rows, faults } = await readContractMap(root)
  const recorded = await recordedDecisions(root)
  const firstUse = new Map<string, number>()
  for (const row of rows) {
    const fault = (what: string) => faults.push(at(row.line, `${row.id} ${what}`))
    const first = firstUse.get(row.id)
    if (first !== undefined) fault(`has an id that line ${first} has already`)
    else firstUse.set(row.id, row.line)

    const built = row.files.length > 0
    if (built && row.tests.length === 0) fault('names a file but no test')
    if (!built && row.tests.length > 0) fault('names a test but no file')
    for (const number of row.answeredBy) {
      if (!DECISION.test(number)) fault(`is answered by "${number}", which is no decision number`)
      else if (built && !recorded.has(number))
        fault(`is built on decision ${number}, which has no record in ${RECORDS}`)
    }
    for (const path of row.files) {
      if (!(await isFile(root, path))) fault(`names the file ${path}, which does not exist`)
    }
    for (const { path, title } of row.tests) {
      if (!path.endsWith('.test.ts')) fault(`names the test ${path}, which is not a .test.ts file`)
      else if (!(await isFile(root, path))) fault(`names the test ${path}, which does not exist`)
      else if (title !== undefined && !(await hasTitle(root, path, title))) {
        fault(`names the test title "${title}", which is not in ${path}`)
      }
    }
  }
  return faults
}

function readRow(cells: string[], line: number): ContractRow | string {
  const [id, contract, answeredBy, file, test, ...more] = cells
  if (id === undefined || contract === undefined || answeredBy === undefined) return wrongWidth(cells, line)
  if (file === undefined || test === undefined || more.length > 0) return wrongWidth(cells, line)
  if (!ID.test(id)) return at(line, `"${id}" is not an id such as TOK-03`)
  if (contract === '') return at(line, `${id} does not name its line of the contract`)
  const files = quoted(file)
  const tests = quoted(test)
  if (!files || !tests) return at(line, `${id} names something outside backticks in File or Test`)
  return {
    line,
    id,
    answeredBy: answeredBy.split(/[\s,]+/).filter(Boolean),
    files,
    tests: tests.map((name) => {
      const [path = '', ...title] = name.split(' › ')
      return { path, title: title.length > 0 ? title.join(' › ') : undefined }
    }),
  }
}

/** The cells between the outer pipes; an escaped pipe belongs to its cell. */
function cellsOf(text: string): string[] {
  const inner = text
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '')
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'))
}

/** What stands between backticks, or nothing when there is text outside them. */
function quoted(cell: string): string[] | undefined {
  const spans = [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name.trim())
  const outside = cell.replaceAll(/`[^`]+`/g, '').trim()
  return outside === '' ? spans : undefined
}

/** The numbers on the `Answers:` lines of the numbered records. */
async function recordedDecisions(root: string): Promise<Set<string>> {
  const names = await readdir(join(root, RECORDS)).catch(() => [])
  const records = names.filter((name) => /^\d{4}-.+\.md$/.test(name))
  const texts = await Promise.all(records.map((name) => readFile(join(root, RECORDS, name), 'utf8')))
  const answers = texts.flatMap((text) => [...text.matchAll(/^Answers:(.*)$/gm)].map(([, numbers = '']) => numbers))
  return new Set(answers.flatMap((numbers) => numbers.split(/[\s,]+/)).filter((number) => DECISION.test(number)))
}

async function isFile(root: string, path: string): Promise<boolean> {
  // A path that leaves the repository, or takes a detour, is not one that a reader can look up.
  if (normalize(path) !== path || path.startsWith('..') || path.startsWith('/')) return false
  const found = await stat(join(root, path)).catch(() => undefined)
  return found?.isFile() ?? false
}

/** A title counts only as a whole string literal, so that half a title or a word in a comment does not. */
async function hasTitle(root: string, path: string, title: string): Promise<boolean> {
  const source = await readFile(join(root, path), 'utf8')
  return ["'", '"', '`'].some((quote) => source.includes(`${quote}${title}${quote}`))
}

function wrongWidth(cells: string[], line: number): string {
  return at(line, `a row of ${cells.length} cells, not ${COLUMNS.length}`)
}

function at(line: number, what: string): string {
  return `${MAP}:${line}: ${what}`
}
