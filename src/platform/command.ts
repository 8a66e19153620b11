import { parseArgs } from 'node:util'
import { OperatorError } from './operator-error.ts'
import type { Terminal } from './terminal.ts'

/** One word behind `handover`. What goes wrong by its user's doing is thrown as an OperatorError, and the exit code is 1. */
export type Command = { help: string; run: (terminal: Terminal, args: string[]) => Promise<void> }

/** `--name value` for each known name; anything else is refused. */
export function options(args: string[], ...known: string[]): Record<string, string | undefined> {
  return parsed(() => parseArgs({ args, options: specOf(known, 'string'), strict: true }).values)
}

/** `--name` for each known name; anything else is refused. */
export function flags(args: string[], ...known: string[]): Record<string, boolean | undefined> {
  return parsed(() => parseArgs({ args, options: specOf(known, 'boolean'), strict: true }).values)
}

function specOf<Type extends 'string' | 'boolean'>(names: string[], type: Type): Record<string, { type: Type }> {
  return Object.fromEntries(names.map((name) => [name, { type }]))
}

function parsed<Values>(parse: () => Values): Values {
  try {
    return parse()
  } catch (error) {
    throw new OperatorError(error instanceof Error ? error.message : 'wrong arguments')
  }
}
