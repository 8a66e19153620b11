import { type Module, parse } from '@swc/core'

export type SyntaxNode = Record<string, unknown> & { type: string }

export function parseSource(source: string): Promise<Module> {
  return parse(source, { syntax: 'typescript', target: 'es2024' })
}

/** Every node of a syntax tree, parents first. */
export function* nodesOf(tree: unknown): Generator<SyntaxNode> {
  if (Array.isArray(tree)) {
    for (const item of tree) yield* nodesOf(item)
  } else if (isObject(tree)) {
    if (isNode(tree)) yield tree
    for (const value of Object.values(tree)) yield* nodesOf(value)
  }
}

export function isNode(value: unknown): value is SyntaxNode {
  return isObject(value) && typeof value['type'] === 'string'
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
