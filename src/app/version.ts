import { readFileSync } from 'node:fs'

/** As package.json has it: what an operator names when something is wrong. */
export const VERSION = readVersion()

function readVersion(): string {
  const read: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  const version: unknown = typeof read === 'object' && read !== null ? Reflect.get(read, 'version') : undefined
  return typeof version === 'string' ? version : 'unknown'
}
