/**
 * A failure that the person who runs the program can mend. Its message is one line that says what is wrong and what
 * to do; the command line prints it and exits with 1, without a stack trace.
 */
export class OperatorError extends Error {
  override readonly name = 'OperatorError'

  constructor(message: string, options?: ErrorOptions) {
    super(message.replaceAll(/\s*\n\s*/g, ' ').trim(), options)
  }
}
