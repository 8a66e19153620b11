import type { FastifyRequest } from 'fastify'
import type { ApplicationCache } from '../../domain/applications/application-cache.ts'
import type { RegisteredApplication } from '../../domain/applications/application-store.ts'
import { matchSecret } from '../../domain/applications/client-secret.ts'
import type { SecretUses } from '../../domain/applications/secret-uses.ts'
import type { Form } from '../../http/form.ts'
import { noteApplication } from '../../http/record-requests.ts'
import type { Clock } from '../../platform/clock.ts'
import type { ClientFailures } from './client-failures.ts'
import { OAuthError } from './oauth-error.ts'
import { authenticationFailed, type PresentedClient, presentedClient } from './presented-client.ts'

/** An application that has proven itself, or one that by its setting has nothing to prove. */
export type AuthenticatedClient = { application: RegisteredApplication; confidential: boolean; address: string }

export type ClientAuth = {
  applications: ApplicationCache
  secretUses: SecretUses
  clientFailures: ClientFailures
  clock: Clock
}

export async function authenticateClient(
  auth: ClientAuth,
  request: FastifyRequest,
  form: Form,
): Promise<AuthenticatedClient> {
  const presented = presentedClient(request, form)
  const address = request.ip
  auth.clientFailures.refuseThrottled(presented.clientId, address)
  const application = isClientId(presented.clientId) ? await auth.applications.find(presented.clientId) : null
  if (application !== null) noteApplication(request, application)
  const judged = judge(presented, application)
  if (typeof judged === 'string') {
    await auth.clientFailures.count(presented.clientId, address)
    throw authenticationFailed(presented.method, judged)
  }
  if (judged.secretId !== null) auth.secretUses.used(judged.secretId, auth.clock())
  if (judged.application.suspended) {
    throw new OAuthError(400, 'unauthorized_client', 'This application is suspended. Contact support.')
  }
  return { application: judged.application, confidential: judged.secretId !== null, address }
}

/** Decision B14: the application's setting decides which methods count. A string is why it failed, for the log. */
function judge(
  presented: PresentedClient,
  application: RegisteredApplication | null,
): { application: RegisteredApplication; secretId: string | null } | string {
  const setting = application?.tokenEndpointAuthentication ?? 'either'
  const secret = presented.method === 'none' ? null : matchSecret(presented.secret, application?.secrets ?? [])
  if (application === null) return 'There is no such application, or it is deleted.'
  if (presented.method === 'none') {
    return setting === 'none' ? { application, secretId: null } : 'This application must present its secret.'
  }
  if (setting !== 'either' && setting !== presented.method) {
    return `This application is set to authenticate by "${setting}"; the request used "${presented.method}".`
  }
  return secret === null ? 'The secret is none of the application’s live ones.' : { application, secretId: secret.id }
}

/** What cannot be an id is not looked up. */
function isClientId(text: string): boolean {
  return /^[A-Za-z0-9_-]{1,64}$/.test(text)
}
