import { facilitiesToChoose, type NamedFacility, nameFacilities } from '../../domain/facilities/facility-name-store.ts'
import type { Webhook, WebhookOwner } from '../../domain/webhooks/webhook.ts'
import type { Db } from '../../platform/db.ts'

/** So many fit into a page to tick; of more, their ids are typed. */
const FEW = 60

/** How facilities are chosen: a few are ticked, many are typed or taken all; events of people have none. */
export type FacilityChoice =
  | { way: 'ticked'; facilities: NamedFacility[] }
  | { way: 'typed'; connected: number; listed: number }
  | { way: 'none' }

export async function facilityChoice(
  db: Db,
  owner: WebhookOwner,
  webhook: Pick<Webhook, 'kind' | 'facilities'> | null,
): Promise<FacilityChoice> {
  if (webhook?.kind === 'user') return { way: 'none' }
  const listed = webhook?.facilities ?? []
  const { facilities, count } = await facilitiesToChoose(db, owner, FEW)
  if (count > FEW || listed.length > FEW) return { way: 'typed', connected: count, listed: listed.length }
  // One that the webhook lists and its owner has lost stays to be seen, and to be taken out.
  const lost = listed.filter((id) => facilities.every((each) => each.id !== id))
  return { way: 'ticked', facilities: [...facilities, ...(await nameFacilities(db, owner.environment, lost))] }
}
