import type { FastifyInstance } from 'fastify'
import { hangOperation } from '../../http/operation.ts'
import type { CommandLineCall, CommandLineParts } from './command-line-call.ts'
import { askLogin, beginLogin } from './login.ts'
import { issueToken, revokeOwnKey } from './token.ts'
import { whereToLogIn } from './where.ts'

const CALLS: readonly CommandLineCall[] = [whereToLogIn, beginLogin, askLogin, issueToken, revokeOwnKey]

/**
 * What the command line of this very product calls (decision record 83). Others get their tokens by OAuth, so it is not in the
 * OpenAPI file; it follows the rules of the API all the same.
 */
export function hangCommandLine(app: FastifyInstance, under: string, parts: CommandLineParts): void {
  for (const call of CALLS) {
    hangOperation(
      app,
      { ...call, path: `${under}/command-line${call.path}` },
      {
        admit: async () => {},
        answer: (made, request) => call.run(parts, made, request),
      },
    )
  }
}
