import type { Cipher } from '../../platform/cipher.ts'
import type { Db, DbOrTransaction } from '../../platform/db.ts'
import { gatheredCalls } from '../../platform/gathered-calls.ts'
import { newId } from '../../platform/ids.ts'
import type { Environment } from '../environment.ts'
import { visibleFacilities } from '../facilities/visible-facility-store.ts'
import { chooseFacilities, type NoFacilities } from './choose-facilities.ts'
import { type AskedWebhook, insertWebhooks } from './many-webhooks-store.ts'
import { limitOf, type Registered, registerWebhook, type WebhookLimits } from './register-webhook.ts'
import type { NewWebhook } from './webhook-store.ts'

/** A webhook as it is wished for. Without facilities those of its owner are detected; a user webhook has none (decision C5). */
export type WishedWebhook = Omit<NewWebhook, 'id' | 'listener' | 'facilities'> & {
  facilities: readonly string[] | null
}

/** How webhooks are made: facilities chosen, room found, rows written. */
export type Registration = (limits: WebhookLimits, wished: WishedWebhook) => Promise<Registered | NoFacilities>

/** One by one, on the pool or in a transaction. */
export function registrationIn(db: DbOrTransaction, cipher: Cipher): Registration {
  return async (limits, wished) => {
    if (wished.kind === 'user') return registerWebhook(db, cipher, limits, { ...wished, facilities: [] })
    const chosen = await chooseFacilities(db, wished, wished.facilities)
    return chosen.outcome === 'chosen'
      ? registerWebhook(db, cipher, limits, { ...wished, facilities: chosen.facilities })
      : chosen
  }
}

/** Who has more goes alone, so that nobody waits while as many rows of somebody else are written. */
const FEW_FACILITIES = 20

/** Those who come at the same moment together (decision record 96). Only for who is in no transaction. */
export function gatheredRegistration(db: Db, cipher: Cipher): Registration {
  const alone = registrationIn(db, cipher)
  const together = { production: gatheredIn(db, cipher, 'production'), sandbox: gatheredIn(db, cipher, 'sandbox') }
  return async (limits, wished) => {
    const facilities = await facilitiesOf(db, wished)
    if (wished.kind === 'facility' && facilities.length === 0) return { outcome: 'none-found' }
    if (facilities.length > FEW_FACILITIES) return alone(limits, wished)
    const webhook = await together[wished.environment]({
      webhook: { ...wished, facilities: [...facilities], id: newId('whk') },
      limit: limitOf(limits, wished),
    })
    return webhook === null ? alone(limits, wished) : { outcome: 'registered', webhook }
  }
}

async function facilitiesOf(db: Db, { kind, facilities, ...owner }: WishedWebhook): Promise<readonly string[]> {
  if (kind === 'user') return []
  return facilities !== null && facilities.length > 0 ? facilities : visibleFacilities(db, owner)
}

function gatheredIn(db: Db, cipher: Cipher, environment: Environment) {
  return gatheredCalls((asked: readonly AskedWebhook[]) => insertWebhooks(db, cipher, environment, asked), {
    mostTogether: 64,
    // Two at once cost PostgreSQL a quarter more: each carries half as many.
    mostUnderWay: 1,
    // One row counts what an owner has of a kind, and a statement changes a row once.
    keyOf: ({ webhook: { kind, applicationId, userId } }) => `${kind} ${applicationId} ${userId ?? ''}`,
  })
}
