import type { DbOrTransaction } from '../../platform/db.ts'
import type { Environment } from '../environment.ts'
import type { Person, PersonState } from './person.ts'
import type { NameHolder } from './taken-names.ts'
import { foldLogin } from './user.ts'
import { type UserRow, userFromRow } from './user-row.ts'
import { userColumns } from './user-store.ts'

type PersonRow = UserRow & { blocked: boolean; made_in: Environment | null; created_at: Date; updated_at: Date }

function personColumns(db: DbOrTransaction) {
  return db`
    ${userColumns(db)}, users.blocked_at is not null as blocked, users.made_in, users.created_at, users.updated_at`
}

export async function findPeople(db: DbOrTransaction, ids: readonly string[]): Promise<Map<string, Person>> {
  return byId(await db<PersonRow[]>`select ${personColumns(db)} from users where id = any(${ids})`)
}

/**
 * Holds the people who are there until the transaction ends, in one order, so that batches at the same moment wait for each
 * other and never in a circle. Not `for update`: a token exchange under way must still be able to refer to its person, for
 * what it gives is revoked next.
 */
export async function holdPeople(tx: DbOrTransaction, ids: readonly string[]): Promise<Map<string, Person>> {
  return byId(
    await tx<PersonRow[]>`
      select ${personColumns(tx)} from users where id = any(${ids}) order by users.id for no key update`,
  )
}

/** What a name or a whole row takes to change: nobody may refer to it meanwhile. In the same order again. */
export async function holdPeopleAlone(tx: DbOrTransaction, ids: readonly string[]): Promise<void> {
  await tx`select 1 from users where id = any(${ids}) order by id for update`
}

/** Accounts outside the batch that have one of its e-mail addresses or usernames. */
export async function otherHolders(tx: DbOrTransaction, people: readonly PersonState[]): Promise<NameHolder[]> {
  const emails = people.map(({ email }) => foldLogin(email))
  const usernames = people.flatMap(({ username }) => (username === null ? [] : [foldLogin(username)]))
  const rows = await tx<Array<{ id: string; email_folded: string; username_folded: string | null }>>`
    select id, email_folded, username_folded from users
    where (email_folded = any(${emails}) or username_folded = any(${usernames}))
      and id <> all(${people.map(({ id }) => id)})`
  return rows.map((row) => ({ id: row.id, emailFolded: row.email_folded, usernameFolded: row.username_folded }))
}

/** In sorted order, for the same reason. Who made one of them a moment ago lets this fail, and it is done again. */
export async function insertPeople(tx: DbOrTransaction, people: readonly PersonState[]): Promise<void> {
  await tx`
    insert into users (
      id, role, email, email_folded, email_verified, username, username_folded, name, nickname, picture,
      phone_number, phone_number_verified, city, state, blocked_at, made_in
    )
    select id, role, email, email_folded, email_verified, username, username_folded, name, nickname, picture,
           phone_number, phone_number_verified, city, state, case when blocked then now() end, made_in
    from ${recordset(tx, people)} order by id`
}

/** Of people who are held. `moved` are those whose e-mail or username becomes another one. */
export async function updatePeople(
  tx: DbOrTransaction,
  people: readonly PersonState[],
  moved: readonly string[],
): Promise<void> {
  await holdPeopleAlone(tx, moved)
  if (moved.length > 1) {
    // Names are unique at every moment: all of them are put down before they are taken up. A folded name never begins with a space.
    await tx`update users set email_folded = ' ' || id, username_folded = null where id = any(${moved})`
  }
  await tx`
    update users set
      role = said.role, email = said.email, email_folded = said.email_folded, email_verified = said.email_verified,
      username = said.username, username_folded = said.username_folded, name = said.name, nickname = said.nickname,
      picture = said.picture, phone_number = said.phone_number, phone_number_verified = said.phone_number_verified,
      city = said.city, state = said.state, made_in = said.made_in, updated_at = now(),
      blocked_at = case when said.blocked then coalesce(users.blocked_at, now()) end
    from ${recordset(tx, people)}
    -- The ids once more, or the plan would read everybody; selected, or there would be another plan for each number of them.
    where users.id = said.id and users.id = any(array(select unnest(${people.map(({ id }) => id)}::text[])))`
}

/** The password and the second factor. The next password is set by a mailed link. */
export async function clearCredentials(tx: DbOrTransaction, ids: readonly string[]): Promise<void> {
  await tx`update users set password_hash = null, updated_at = now() where id = any(${ids})`
  await tx`delete from totp_secrets where user_id = any(${ids})`
}

/** Of people who are held; what refers to them goes too. */
export async function deletePeopleRows(tx: DbOrTransaction, ids: readonly string[]): Promise<void> {
  await holdPeopleAlone(tx, ids)
  await tx`delete from users where id = any(${ids})`
}

/** One parameter, however many people: a batch is one statement. */
function recordset(tx: DbOrTransaction, people: readonly PersonState[]) {
  // By way of text, or the driver would write the JSON out a second time.
  return tx`
    jsonb_to_recordset(${JSON.stringify(people.map(toRow))}::text::jsonb) as said (
      id text, role text, email text, email_folded text, email_verified boolean, username text, username_folded text,
      name text, nickname text, picture text, phone_number text, phone_number_verified boolean, city text, state text,
      blocked boolean, made_in text
    )`
}

function toRow(person: PersonState) {
  return {
    id: person.id,
    role: person.role,
    email: person.email,
    email_folded: foldLogin(person.email),
    email_verified: person.emailVerified,
    username: person.username,
    username_folded: person.username === null ? null : foldLogin(person.username),
    name: person.name,
    nickname: person.nickname,
    picture: person.picture,
    phone_number: person.phoneNumber,
    phone_number_verified: person.phoneNumberVerified,
    city: person.city,
    state: person.state,
    blocked: person.blocked,
    made_in: person.madeIn,
  }
}

function byId(rows: readonly PersonRow[]): Map<string, Person> {
  return new Map(
    rows.map((row) => [
      row.id,
      {
        ...userFromRow(row),
        blocked: row.blocked,
        madeIn: row.made_in,
        createdAt: row.created_at,
        updatedAt: row.updated_at,
      },
    ]),
  )
}
