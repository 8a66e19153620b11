import { Problem } from '../http/problem.ts'

/** What is for trying things out, and would be a danger where it is in earnest. */
export function sandboxOnly(what: string): Problem {
  return new Problem(
    403,
    'sandbox_only',
    'Only in sandbox',
    `${what} in sandbox only. Use a token with the audience of sandbox.`,
  )
}
