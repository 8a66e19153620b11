import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'

export type AsvsRow = { number: string; level: string; asks: string; where: string; shownBy: string }

/** A title may have a bar in it, which stands escaped in a table. */
const CELLS = /(?<!\\)\|/

export function asvsRows(text: string): AsvsRow[] {
  return text
    .split('\n')
    .filter((line) => /^\| V\d/.test(line))
    .map((line) => {
      const [, number = '', level = '', asks = '', where = '', shownBy = ''] = line
        .split(CELLS)
        .map((cell) => cell.trim())
      return { number, level, asks, where, shownBy: shownBy.replaceAll('\\|', '|') }
    })
}

export function isMet({ shownBy }: AsvsRow): boolean {
  return !/^(?:does not apply|not met):/.test(shownBy)
}

/** One line for each thing in the table that is not so. */
export async function asvsFaults(root: string, levels: ReadonlyMap<string, string>): Promise<string[]> {
  const rows = asvsRows(await readFile(join(root, 'docs/asvs.md'), 'utf8'))
  const listed = rows.map(({ number }) => number)
  const faults = [...levels.keys()].filter((number) => !listed.includes(number)).map((number) => `${number}: missing`)
  for (const [place, row] of rows.entries()) {
    const { number, level, asks } = row
    const say = (fault: string) => void faults.push(`${number}: ${fault}`)
    if (!levels.has(number)) say('there is no such requirement')
    else if (levels.get(number) !== level) say(`is of level ${levels.get(number)}`)
    if (listed.indexOf(number) !== place) say('stands there twice')
    if (asks === '') say('does not say what it asks')
    for (const fault of await rowFaults(root, row)) say(fault)
  }
  return faults
}

async function rowFaults(root: string, row: AsvsRow): Promise<string[]> {
  const named = [...`${row.where} ${row.shownBy}`.matchAll(/`([^`"]+)`/g)].map(([, path = '']) => path)
  const missing: string[] = []
  for (const path of named.filter((each) => /[/.]/.test(each) && !each.includes(':')))
    if (!(await stat(join(root, path)).catch(() => null))) missing.push(`${path} is not there`)
  if (!isMet(row)) return /: \S.{4,}/.test(row.shownBy) ? missing : [...missing, 'gives no reason']
  if (row.where === '') missing.push('does not say where')
  const proofs = [...row.shownBy.matchAll(/`([^`]+)` "([^"]+)"/g)]
  if (proofs.length === 0) missing.push('is shown by nothing')
  for (const [, path = '', words = ''] of proofs) {
    const text = await readFile(join(root, path), 'utf8').catch(() => '')
    // Words in a comment show nothing, but in a document they are what is asked for.
    const lines = path.endsWith('.test.ts') ? text.split('\n').filter((line) => !/^\s*(?:\/\/|\*)/.test(line)) : [text]
    if (!lines.some((line) => line.includes(words))) missing.push(`${path} has no "${words}"`)
  }
  return missing
}
