import type { PersonState, SaidPerson } from './person.ts'
import { foldLogin } from './user.ts'

/** Who has an e-mail address or a username, in the form in which they are compared. */
export type NameHolder = { id: string; emailFolded: string; usernameFolded: string | null }

/** A name that somebody was to get and another account has, or gets at the same time. */
export type TakenName = { id: string; field: 'email' | 'username'; heldBy: string }

/**
 * The names that cannot be given. `others` are accounts outside the batch. Inside it only the outcome counts, so two people
 * may exchange their names; who keeps a username that nobody spoke of has it before those who ask for it.
 */
export function takenNames(
  batch: ReadonlyArray<{ said: SaidPerson; after: PersonState }>,
  others: readonly NameHolder[],
): TakenName[] {
  const emails = new Map(others.map(({ id, emailFolded }) => [emailFolded, id]))
  const usernames = new Map(others.map(({ id, usernameFolded }) => [usernameFolded, id]))
  for (const { said, after } of batch) {
    if (said.username === undefined && after.username !== null) usernames.set(foldLogin(after.username), after.id)
  }
  return batch.flatMap(({ after: { id, email, username } }) => [
    ...claim(emails, foldLogin(email), { id, field: 'email' }),
    ...(username === null ? [] : claim(usernames, foldLogin(username), { id, field: 'username' })),
  ])
}

function claim(held: Map<string | null, string>, name: string, asked: Pick<TakenName, 'id' | 'field'>): TakenName[] {
  const heldBy = held.get(name)
  if (heldBy !== undefined && heldBy !== asked.id) return [{ ...asked, heldBy }]
  held.set(name, asked.id)
  return []
}
