import type { Command } from '../platform/command.ts'
import { OperatorError } from '../platform/operator-error.ts'
import { readArguments } from './arguments.ts'
import { callService, Unreachable } from './http-call.ts'
import { outputFor } from './output.ts'
import { refusalOf } from './refused.ts'
import { readStoredLogin, removeStoredLogin, type StoredLogin } from './stored-login.ts'

export const logoutCommand: Command = {
  help: `handover logout [--json]

Forgets the login of this computer, and revokes its key: access tokens that came of it are refused within a second.
A client secret that was given to "handover login" is forgotten; it goes on working elsewhere.

Example:
  handover logout`,
  run: async (terminal, args) => {
    const given = readArguments(args, { flags: ['json'] })
    if (given.words.length > 0) throw new OperatorError('logout takes no arguments but --json')
    const output = outputFor(terminal, { json: given.flag('json') })
    const login = await readStoredLogin(terminal.env)
    if (login === null) return output.record({ loggedOut: false }, 'You were not logged in.')
    await removeStoredLogin(terminal.env)
    await giveBack(login).catch((error: unknown) => {
      if (!(error instanceof Unreachable)) throw error
      throw new OperatorError(
        `The login is forgotten here, but its key could not be revoked: ${error.message} Revoke it in the portal, under "Command line" of the application.`,
      )
    })
    output.record(
      { loggedOut: true, baseUrl: login.baseUrl, clientId: login.clientId },
      `Logged out of ${login.baseUrl}.`,
    )
  },
}

/** A key that is unknown there is as good as revoked. A client secret has other users and is left alone. */
export async function giveBack({ baseUrl, login }: StoredLogin): Promise<void> {
  if (login.by !== 'browser') return
  const path = '/api/v2/public/command-line/key'
  const answer = await callService(baseUrl, { method: 'DELETE', path, accessToken: login.key })
  if (answer.status !== 204 && answer.status !== 401) throw refusalOf(answer, baseUrl)
}
