import { chooseFacilities, type NoFacilities, noneFoundWords } from '../domain/webhooks/choose-facilities.ts'
import type { WebhookOwner } from '../domain/webhooks/webhook.ts'
import { secretFault } from '../domain/webhooks/webhook-secret.ts'
import type { FieldProblem } from '../http/problem.ts'
import { type Read, soundTexts } from '../http/read-fields.ts'
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
export function checkSecrets({ sound, faults }: Read<WebhookFields>, body: unknown): string[] | null | undefined {
  const { secrets } = sound
  for (const [position, secret] of soundTexts(body, 'secrets', faults)) {
    const fault = secretFault(secret)
    if (fault !== null) faults.push({ pointer: `/secrets/${position}`, code: 'malformed_secret', message: fault })
  }
  return secrets?.length === 0 ? null : secrets
}

/** The facilities that are given, or those that are detected when none are (decision C5). */
export async function checkFacilities(
  db: DbOrTransaction,
  owner: WebhookOwner,
  given: readonly string[] | null,
  faults: FieldProblem[],
): Promise<string[]> {
  const chosen = await chooseFacilities(db, owner, given)
  if (chosen.outcome === 'chosen') return chosen.facilities
  faults.push(...facilityFaults(chosen, owner, given))
  return []
}

/** Where some of the facilities cannot be ids at all, the others may be wrong as well. */
export async function checkOtherFacilities(
  db: DbOrTransaction,
  owner: WebhookOwner,
  body: unknown,
  faults: FieldProblem[],
): Promise<void> {
  const others = soundTexts(body, 'facilities', faults)
  if (others.length === 0) return
  const chosen = await chooseFacilities(
    db,
    owner,
    others.map(([, id]) => id),
  )
  if (chosen.outcome === 'unknown')
    faults.push(...others.flatMap(([position, id]) => (chosen.ids.has(id) ? [unknownFacility(position)] : [])))
}

export function facilityFaults(
  found: NoFacilities,
  owner: WebhookOwner,
  given: readonly string[] | null,
): FieldProblem[] {
  switch (found.outcome) {
    case 'none-found':
      return [{ pointer: '/facilities', code: 'no_facilities', message: noneFoundWords(owner) }]
    case 'unknown':
      return (given ?? []).flatMap((id, position) => (found.ids.has(id) ? [unknownFacility(position)] : []))
  }
}

function unknownFacility(position: number): FieldProblem {
  const message = 'is not a facility that this webhook’s owner has access to.'
  return { pointer: `/facilities/${position}`, code: 'unknown_facility', message }
}
