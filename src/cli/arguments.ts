import { parseArgs } from 'node:util'
import { OperatorError } from '../platform/operator-error.ts'

/** What each command of integrators takes beside its own: where, as whom, in which environment, and how to answer. */
export const CONNECTION_OPTIONS = ['url', 'client-id', 'environment'] as const

export type Given = {
  /** What stands by itself, such as the id of a delivery. */
  words: string[]
  text: (name: string) => string | undefined
  texts: (name: string) => string[]
  flag: (name: string) => boolean
}

/** `--name value` for each of `texts`, `--name` for each of `flags`; anything else is refused. */
export function readArguments(args: string[], known: { texts?: readonly string[]; flags?: readonly string[] }): Given {
  const texts = Object.fromEntries(
    (known.texts ?? []).map((name) => [name, { type: 'string' as const, multiple: true as const }]),
  )
  const flags = Object.fromEntries((known.flags ?? []).map((name) => [name, { type: 'boolean' as const }]))
  const { values, positionals } = parsed(args, { ...texts, ...flags })
  const all = (name: string): string[] => {
    const found = values[name]
    return Array.isArray(found) ? found.filter((each) => typeof each === 'string') : []
  }
  return {
    words: positionals,
    text: (name) => all(name).at(-1),
    texts: all,
    flag: (name) => values[name] === true,
  }
}

type Spec = Record<string, { type: 'string'; multiple: true } | { type: 'boolean' }>

function parsed(args: string[], options: Spec) {
  try {
    return parseArgs({ args, options, strict: true, allowPositionals: true })
  } catch (error) {
    throw new OperatorError(error instanceof Error ? error.message : 'wrong arguments')
  }
}
