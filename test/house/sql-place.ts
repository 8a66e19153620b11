import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { filesUnder } from './source-files.ts'
import { isNode, nodesOf, parseSource, type SyntaxNode } from './syntax-tree.ts'

const mayHoldSql = /^src\/platform\/|-store\.ts$/
// A transaction's tag has another name than `sql`, so the words count as well.
const sqlTag = /^(sql|tx|db|transaction)$/
const sqlWords =
  /^\s*(select|insert|update|delete|merge|with|create|alter|drop|truncate|lock|notify|listen|call|set)\b/i

/** One line for each place where SQL stands outside `*-store.ts` and `src/platform/`. */
export async function sqlPlaceFaults(root: string): Promise<string[]> {
  const faults: string[] = []
  for (const path of await filesUnder(root, 'src')) {
    if (!path.endsWith('.ts') || mayHoldSql.test(path)) continue
    const tree = await parseSource(await readFile(join(root, path), 'utf8'))
    for (const node of nodesOf(tree)) {
      if (isSqlTemplate(node)) faults.push(`${path}: SQL in a template: ${textOf(node).trim().slice(0, 40)}`)
      if (isUnsafeCall(node)) faults.push(`${path}: SQL in a call of .unsafe()`)
    }
  }
  return faults
}

function isSqlTemplate(node: SyntaxNode): boolean {
  if (node.type !== 'TaggedTemplateExpression') return false
  return sqlTag.test(nameOf(node['tag'])) || sqlWords.test(textOf(node))
}

function isUnsafeCall(node: SyntaxNode): boolean {
  const callee = node['callee']
  return node.type === 'CallExpression' && isNode(callee) && nameOf(callee['property']) === 'unsafe'
}

function nameOf(node: unknown): string {
  return isNode(node) && typeof node['value'] === 'string' ? node['value'] : ''
}

/** The text of a tagged template up to its first value. */
function textOf(node: SyntaxNode): string {
  for (const part of nodesOf(node['template'])) {
    if (part.type === 'TemplateElement' && typeof part['raw'] === 'string') return part['raw']
  }
  return ''
}
