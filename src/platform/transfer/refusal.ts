import { OperatorError } from '../operator-error.ts'
import { postgres } from '../postgres-js.ts'

const AFTERWARDS = {
  export: { refused: 'What was written is not whole.', broken: 'What was written is not whole: try again.' },
  import: {
    refused: 'Nothing was imported.',
    broken: 'Unless it broke at the very last moment, nothing was imported: try again, and it will say.',
  },
}

/** What the database itself says no to is for the operator to mend: rights, space, a lock, a connection that broke. */
export function explained(error: unknown, what: keyof typeof AFTERWARDS): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (error instanceof postgres.PostgresError) {
    // Errors about values quote them.
    const reason = code.startsWith('22') ? 'a value is not as it should be' : error.message
    return new OperatorError(`The database refused the ${what} (${code}): ${reason}. ${AFTERWARDS[what].refused}`)
  }
  return /^(CONNECTION_|ECONN)/.test(code)
    ? new OperatorError(`The connection to the database broke (${code}). ${AFTERWARDS[what].broken}`)
    : error
}
