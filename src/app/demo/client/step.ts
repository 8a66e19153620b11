import type { ClientRequest } from './request.ts'

/** Something that every client has to make sure of. */
export type Check = { name: string; passed: boolean; says: string }

export function check(name: string, passed: boolean, says: string, fails = says): Check {
  return { name, passed, says: passed ? says : fails }
}

/** A token with what can be read in it. */
export type ShownToken = { name: string; lead: string; whole: string; header: object | null; claims: object | null }

/** One step that was taken: the request, what came back, and what was made sure of. */
export type Step = {
  title: string
  lead: string
  request: ClientRequest
  /** Whether the client asked itself, sent the browser away with it, or the browser came back with it. */
  by: 'client' | 'browser-away' | 'browser-back'
  /** Null when nobody answered, or when the answer was a page for the person. */
  answer: { status: number; text: string } | null
  tokens: readonly ShownToken[]
  checks: readonly Check[]
}

export function allPassed({ checks }: Pick<Step, 'checks'>): boolean {
  return checks.every(({ passed }) => passed)
}
