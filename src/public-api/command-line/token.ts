import type { FastifyRequest } from 'fastify'
import { isCommandLineKey } from '../../domain/command-line/command-line-key.ts'
import { giveKeyBack, useKey } from '../../domain/command-line/command-line-key-store.ts'
import { apiRate, bucketOf } from '../../domain/limits/application-rates.ts'
import { issueApplicationAccessToken } from '../../domain/tokens/access-token.ts'
import { bearerToken } from '../../http/bearer.ts'
import { Problem } from '../../http/problem.ts'
import { tooManyRequests } from '../../http/rate-limit.ts'
import { note, noteApplication } from '../../http/record-requests.ts'
import type { CommandLineCall } from './command-line-call.ts'

/**
 * POST /command-line/token: the key, for an access token of the sandbox such as client_credentials gives. It carries the key's
 * id, so that it ends with the key.
 */
export const issueToken: CommandLineCall = {
  method: 'POST',
  path: '/token',
  run: async ({ db, bearer, tokens, audiences, limiter }, _, request) => {
    note(request, { operation: 'commandLineToken', environment: 'sandbox' })
    const key = presentedKey(request)
    const live = key === null ? null : await useKey(db, key)
    const application = live === null ? null : await bearer.applications.find(live.applicationId)
    if (live === null || application === null) throw unauthorized()
    noteApplication(request, application)
    const { allowed, retryAfterSeconds } = limiter.charge(
      bucketOf('api', application.id, 'sandbox'),
      apiRate(application),
    )
    if (!allowed) throw tooManyRequests(retryAfterSeconds)
    if (application.suspended)
      throw new Problem(
        403,
        'application_suspended',
        'Application suspended',
        'The application is suspended. Contact support.',
      )
    if (!application.environments.includes('sandbox'))
      throw new Problem(
        403,
        'environment_not_allowed',
        'Environment not allowed',
        'This application may not use sandbox any more. Ask support.',
      )
    const { token, expiresIn, scope } = await issueApplicationAccessToken(
      tokens,
      application.id,
      audiences.sandbox,
      application.apiScopes,
      bearer.clock(),
      live.id,
    )
    return { status: 200, body: { data: { accessToken: token, expiresIn, scope: scope.join(' ') } } }
  },
}

/** DELETE /command-line/key: who holds it gives it back. Of a key that is gone already there is nothing left to do. */
export const revokeOwnKey: CommandLineCall = {
  method: 'DELETE',
  path: '/key',
  run: async ({ db }, _, request) => {
    const key = presentedKey(request)
    if (key === null || !(await giveKeyBack(db, key, request.id))) throw unauthorized()
    return { status: 204 }
  },
}

function presentedKey(request: FastifyRequest): string | null {
  const presented = bearerToken(request)
  return presented !== null && isCommandLineKey(presented) ? presented : null
}

/** The same answer whatever is wrong: who tries keys learns nothing. */
function unauthorized(): Problem {
  return new Problem(401, 'unauthorized', 'Unauthorized', 'The key is unknown, revoked or has expired. Log in again.', {
    headers: { 'www-authenticate': 'Bearer realm="handover command line"' },
  })
}
