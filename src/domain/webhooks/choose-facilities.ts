import type { DbOrTransaction } from '../../platform/db.ts'
import { invisibleFacilities, visibleFacilities } from '../facilities/visible-facility-store.ts'
import type { WebhookOwner } from './webhook.ts'

export type ChosenFacilities = { outcome: 'chosen'; facilities: string[] } | NoFacilities

export type NoFacilities =
  /** Not there, or not for the webhook's owner; the two look alike. */
  { outcome: 'unknown'; ids: ReadonlySet<string> } | { outcome: 'none-found' }

/** The facilities that are given, if the owner may see them all; those the owner may see, if none are given (decision C5). */
export async function chooseFacilities(
  db: DbOrTransaction,
  owner: WebhookOwner,
  given: readonly string[] | null,
): Promise<ChosenFacilities> {
  if (given === null || given.length === 0) {
    const facilities = await visibleFacilities(db, owner)
    return facilities.length === 0 ? { outcome: 'none-found' } : { outcome: 'chosen', facilities }
  }
  const ids = await invisibleFacilities(db, owner, given)
  return ids.size > 0 ? { outcome: 'unknown', ids } : { outcome: 'chosen', facilities: [...given] }
}

/** Why nothing can be detected, and what to do about it. */
export function noneFoundWords({ userId, environment }: WebhookOwner): string {
  return userId === null
    ? `No facility is connected to this application in ${environment}, so none can be detected. Ask a facility to connect, or name facilities.`
    : `This person has access to no facility in ${environment}, so none can be detected.`
}
