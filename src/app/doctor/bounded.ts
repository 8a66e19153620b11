import { OperatorError } from '../../platform/operator-error.ts'
import { OutOfTime, within } from '../../platform/within.ts'
import { type Finding, skipped, wrong } from './finding.ts'

/** So that the whole answer comes while somebody waits for it: checks run side by side. */
const CHECK_PATIENCE_MS = 5_000

/** A check that fails or hangs is a finding too, and never keeps the others from being told. */
export async function bounded(check: string, work: () => Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await within(CHECK_PATIENCE_MS, 'It', work())
  } catch (error) {
    if (error instanceof OutOfTime)
      return [
        wrong(check, `there was no answer within ${CHECK_PATIENCE_MS / 1_000} s`, 'See whether it is overloaded.'),
      ]
    // Tables that a migration is still to make: that it is missing is told elsewhere.
    if (reasonOf(error) === '42P01') return [skipped(check, 'not checked: its tables are not there yet')]
    return [wrong(check, `it could not be checked: ${reasonOf(error)}`, 'Mend that, then ask again.')]
  }
}

/** Messages of others may quote what was asked, and that may be a secret; a code never does. */
export function reasonOf(error: unknown): string {
  if (error instanceof OperatorError) return error.message
  if (error instanceof AggregateError) return reasonOf(error.errors[0])
  if (!(error instanceof Error)) return 'no reason given'
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}
