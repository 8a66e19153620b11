import type { Role } from '../../src/domain/users/user.ts'
import { insertUser } from '../../src/domain/users/user-store.ts'
import type { Db } from '../../src/platform/db.ts'
import { newId } from '../../src/platform/ids.ts'

/** Somebody of the marketplace about whom nothing else matters. Answers the id. */
export async function addPerson(db: Db, role: Role): Promise<string> {
  const id = newId('usr')
  await insertUser(db, {
    id,
    role,
    email: `${id}@example.com`,
    emailVerified: true,
    username: null,
    name: 'Somebody',
    nickname: null,
    picture: null,
    phoneNumber: null,
    phoneNumberVerified: false,
    city: null,
    state: null,
    passwordHash: null,
  })
  return id
}
