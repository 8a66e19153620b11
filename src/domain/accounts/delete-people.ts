import type { Db } from '../../platform/db.ts'
import { retriedTransaction } from '../../platform/retried-transaction.ts'
import type { Environment } from '../environment.ts'
import { mayChange } from '../users/person.ts'
import { deletePeopleRows, holdPeople } from '../users/person-upsert-store.ts'
import { endAccess } from './end-access.ts'

/** `not-yours`: the people that a key of this environment may not touch. Then nobody was deleted. */
export type DeleteOutcome = { outcome: 'done' } | { outcome: 'not-yours'; ids: string[] }

/** All or nobody. Who is not there counts as deleted, so it can be said twice. */
export function deletePeople(db: Db, environment: Environment, ids: readonly string[]): Promise<DeleteOutcome> {
  return retriedTransaction(db, async (tx): Promise<DeleteOutcome> => {
    const held = await holdPeople(tx, ids)
    const known = ids.flatMap((id) => held.get(id) ?? [])
    const notYours = known.filter(({ madeIn }) => !mayChange(environment, madeIn))
    if (notYours.length > 0) return { outcome: 'not-yours', ids: notYours.map(({ id }) => id) }
    const gone = known.map(({ id }) => id)
    await endAccess(tx, gone, 'person deleted')
    await deletePeopleRows(tx, gone)
    return { outcome: 'done' }
  })
}
