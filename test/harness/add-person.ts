import type { Role } from '../../src/domain/users/user.ts'
import { insertUser } from '../../src/domain/users/user-store.ts'
import type { Db } from '../../src/platform/db.ts'
import { newId } from '../../src/platform/ids.ts'

/** Somebody of the marketplace about whom nothing else matters, unless they are to sign in. Answers the id. */
export async function addPerson(
  db: Db,
  role: Role,
  signIn: { email: string; passwordHash: string | null } | null = null,
): Promise<string> {
  const id = newId('usr')
  await insertUser(db, {
    id,
    role,
    email: signIn?.email ?? `${id}@example.com`,
    emailVerified: true,
    username: null,
    name: 'Somebody',
    nickname: null,
    picture: null,
    phoneNumber: null,
    phoneNumberVerified: false,
    city: null,
    state: null,
    passwordHash: signIn?.passwordHash ?? null,
  })
  return id
}
