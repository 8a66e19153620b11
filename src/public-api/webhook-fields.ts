import { invisibleFacilities, visibleFacilities } from '../domain/facilities/visible-facility-store.ts'
import type { WebhookOwner } from '../domain/webhooks/webhook.ts'
import { secretFault } from '../domain/webhooks/webhook-secret.ts'
import type { FieldProblem } from '../http/problem.ts'
import type { Read } from '../http/read-fields.ts'
import type { DbOrTransaction } from '../platform/db.ts'
import { readTarget, type TargetRules } from '../platform/safe-request/target.ts'
import type { WebhookFields } from './webhook-schemas.ts'

/** The rules that a schema cannot say. Each adds what it finds to the faults, so that all of them are told at once. */

/** As the URL parser writes it, so that an international name is called by the name that DNS knows. */
export function checkUrl({ sound, faults }: Read<WebhookFields>, targets: TargetRules): string | undefined {
  if (sound.url === undefined) return undefined
  const target = readTarget(sound.url, targets)
  if ('url' in target) return target.url.href
  faults.push({ pointer: '/url', code: 'url_refused', message: target.refused })
  return undefined
}

/** Undefined when the field is absent, null when no value is given, otherwise the secrets. */
export function checkSecrets({ sound, faults }: Read<WebhookFields>): string[] | null | undefined {
  const { secrets } = sound
  for (const [position, secret] of secrets?.entries() ?? []) {
    const fault = secretFault(secret)
    if (fault !== null) faults.push({ pointer: `/secrets/${position}`, code: 'malformed_secret', message: fault })
  }
  return secrets?.length === 0 ? null : secrets
}

/** The facilities that are given, if the owner may see them all; those the owner may see, if none are given (decision C5). */
export async function checkFacilities(
  db: DbOrTransaction,
  owner: WebhookOwner,
  given: readonly string[] | null,
  faults: FieldProblem[],
): Promise<string[]> {
  if (given === null || given.length === 0) {
    const found = await visibleFacilities(db, owner)
    if (found.length === 0) faults.push(noneFound(owner))
    return found
  }
  const invisible = await invisibleFacilities(db, owner, given)
  for (const [position, id] of given.entries()) {
    if (!invisible.has(id)) continue
    const message = 'is not a facility that this webhook’s owner has access to.'
    faults.push({ pointer: `/facilities/${position}`, code: 'unknown_facility', message })
  }
  return [...given]
}

function noneFound({ userId, environment }: WebhookOwner): FieldProblem {
  const message =
    userId === null
      ? `No facility is connected to this application in ${environment}, so none can be detected. Ask a facility to connect, or name facilities.`
      : `This person has access to no facility in ${environment}, so none can be detected.`
  return { pointer: '/facilities', code: 'no_facilities', message }
}
