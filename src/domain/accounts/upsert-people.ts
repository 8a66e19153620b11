import type { Db, DbOrTransaction } from '../../platform/db.ts'
import { retriedTransaction } from '../../platform/retried-transaction.ts'
import type { Environment } from '../environment.ts'
import { endResets } from '../sessions/end-sign-ins-store.ts'
import {
  type Ending,
  endingOf,
  isUnchanged,
  mayChange,
  type Person,
  type PersonState,
  personAfter,
  type SaidPerson,
} from '../users/person.ts'
import { findPeople, holdPeople, insertPeople, otherHolders, updatePeople } from '../users/person-upsert-store.ts'
import { type TakenName, takenNames } from '../users/taken-names.ts'
import { foldLogin } from '../users/user.ts'
import { endAccess, endEverything } from './end-access.ts'

export type UpsertOutcome =
  | { outcome: 'done'; people: Array<{ person: Person; isNew: boolean }> }
  /** People that a key of this environment may not touch. */
  | { outcome: 'not-yours'; ids: string[] }
  | { outcome: 'taken'; names: TakenName[] }

type Change = { said: SaidPerson; known: Person | null; after: PersonState }

/** All or nobody: whatever stands in the way of one leaves every one of them as they were. No id may be there twice. */
export function upsertPeople(db: Db, environment: Environment, said: readonly SaidPerson[]): Promise<UpsertOutcome> {
  const ids = said.map(({ id }) => id)
  return retriedTransaction(db, async (tx): Promise<UpsertOutcome> => {
    const held = await holdPeople(tx, ids)
    const changes = said.map((each): Change => {
      const known = held.get(each.id) ?? null
      return { said: each, known, after: personAfter(known, each, environment) }
    })
    const notYours = changes.filter(({ known }) => known !== null && !mayChange(environment, known.madeIn))
    if (notYours.length > 0) return { outcome: 'not-yours', ids: notYours.map(({ said: { id } }) => id) }

    const others = await otherHolders(
      tx,
      changes.map(({ after }) => after),
    )
    const names = takenNames(changes, others)
    if (names.length > 0) return { outcome: 'taken', names }

    await write(tx, changes)
    const people = await findPeople(tx, ids)
    return {
      outcome: 'done',
      people: ids.flatMap((id) => {
        const person = people.get(id)
        return person === undefined ? [] : [{ person, isNew: !held.has(id) }]
      }),
    }
  })
}

/** What ends comes first: it waits for exchanges under way, and those could wait for a name that is being changed. */
async function write(tx: DbOrTransaction, changes: readonly Change[]): Promise<void> {
  const updates = changes.flatMap(({ known, after }) => (known === null ? [] : [{ known, after }]))
  const ended = (ending: Ending) =>
    updates.filter(({ known, after }) => endingOf(known, after) === ending).map(({ after }) => after.id)
  await endEverything(tx, ended('everything'), 'taken over by the marketplace')
  await endAccess(tx, ended('access'), 'person blocked or unblocked')
  const readdressed = ended('resets')
  if (readdressed.length > 0) await endResets(tx, readdressed)

  const changed = updates.filter(({ known, after }) => !isUnchanged(known, after))
  if (changed.length > 0) {
    const moved = changed.filter(({ known, after }) => hasOtherNames(known, after)).map(({ after }) => after.id)
    await updatePeople(
      tx,
      changed.map(({ after }) => after),
      moved,
    )
  }
  const newcomers = changes.filter(({ known }) => known === null).map(({ after }) => after)
  if (newcomers.length > 0) await insertPeople(tx, newcomers)
}

function hasOtherNames(known: PersonState, after: PersonState): boolean {
  return (
    foldLogin(known.email) !== foldLogin(after.email) ||
    foldLogin(known.username ?? '') !== foldLogin(after.username ?? '')
  )
}
