import { readFileSync } from 'node:fs'
import { OperatorError } from '../platform/operator-error.ts'

export type Env = Readonly<Record<string, string | undefined>>

/** Whoever uses the commands of integrators in the same shell has these set; they are not for the service. */
const OF_INTEGRATORS: ReadonlySet<string> = new Set([
  'HANDOVER_URL',
  'HANDOVER_CLIENT_ID',
  'HANDOVER_CLIENT_SECRET',
  'HANDOVER_WEBHOOK_SECRET',
])

/**
 * Reads environment variables and collects everything that is wrong with them, so that the operator sees ONE error with all
 * of it (decision A3). Each read answers a value that lets parsing go on; `finish` throws when anything was wrong.
 */
export class Variables {
  readonly #env: Env
  readonly #read = new Set<string>()
  readonly #problems: string[] = []

  constructor(env: Env) {
    this.#env = env
  }

  /** An empty variable counts as one that is not set, as shells and compose files make them. */
  text(name: string): string | null {
    this.#read.add(name)
    return this.#env[name]?.trim() || null
  }

  /** A secret can come as a file, `NAME_FILE`, so that it need not stand in the process's environment. */
  secret(name: string): string | null {
    const direct = this.text(name)
    const file = this.text(`${name}_FILE`)
    if (file === null) return direct
    if (direct !== null) this.wrong(name, `is set together with ${name}_FILE; set one of them`)
    try {
      return readFileSync(file, 'utf8').trim() || null
    } catch {
      this.wrong(`${name}_FILE`, 'names a file that cannot be read')
      return direct
    }
  }

  whole(name: string, fallback: number, least: number, most: number): number {
    const text = this.text(name)
    if (text === null) return fallback
    const value = Number(text)
    if (/^\d+$/.test(text) && value >= least && value <= most) return value
    this.wrong(name, `must be a whole number from ${least} to ${most}`)
    return fallback
  }

  choice<Value extends string>(name: string, allowed: readonly Value[], fallback: Value): Value {
    const text = this.text(name)
    if (text === null) return fallback
    const value = allowed.find((candidate) => candidate === text)
    if (value === undefined) this.wrong(name, `must be one of ${allowed.join(', ')}`)
    return value ?? fallback
  }

  wrong(name: string, what: string): void {
    this.#problems.push(`${name} ${what}`)
  }

  /** Call after everything was read: what starts with HANDOVER_ and was not asked for is a typing error. */
  finish(): void {
    for (const name of Object.keys(this.#env).toSorted()) {
      if (name.startsWith('HANDOVER_') && !this.#read.has(name) && !OF_INTEGRATORS.has(name))
        this.wrong(name, 'is not a setting of Handover')
    }
    if (this.#problems.length === 0) return
    const list = this.#problems.map((problem) => `\n  - ${problem}`).join('')
    throw new OperatorError(`The configuration is not right:${list}\nSee "Configuration" in README.md.`)
  }
}
