import { randomUUID } from 'node:crypto'
import { newApplication } from '../../src/domain/applications/application.ts'
import { insertApplication, insertApplicationSecret } from '../../src/domain/applications/application-store.ts'
import { startFamily } from '../../src/domain/tokens/refresh-token-store.ts'
import type { User } from '../../src/domain/users/user.ts'
import { insertUser } from '../../src/domain/users/user-store.ts'
import type { Db } from '../../src/platform/db.ts'
import { newId } from '../../src/platform/ids.ts'

/** The same application and person for every contender, so that all of them get the same requests. */
export const CLIENT_ID = 'app_019a000000007000800000000000cafe'
export const CLIENT_SECRET = 'bench-secret-0123456789abcdef0123456789abcdef'
export const CALLBACK = 'https://client.example/callback'
export const AUDIENCE = 'urn:handover:api:production'
export const API_SCOPE = 'marketplace:read marketplace:write'
export const SCOPE = `openid profile email role offline_access ${API_SCOPE}`

const PERSON: User = {
  id: 'usr_019a0000000070008000000000000001',
  role: 'NURSE_USER',
  email: 'nurse@example.com',
  emailVerified: true,
  username: 'nurse',
  name: 'Bench Nurse',
  nickname: 'Nurse',
  picture: null,
  phoneNumber: null,
  phoneNumberVerified: false,
  city: 'Portland',
  state: 'OR',
}
export const ACCOUNT_ID = PERSON.id

/** ES256 for ID tokens, or the RSA signature would be all that a refresh measures. */
export async function seed(db: Db): Promise<void> {
  await insertUser(db, { ...PERSON, passwordHash: null })
  const application = newApplication({
    id: CLIENT_ID,
    name: 'Bench',
    type: 'web',
    redirectUris: [CALLBACK],
    clientCredentials: true,
    idTokenAlgorithm: 'ES256',
    ratePerSecond: 1_000_000,
    rateBurst: 2_000_000,
  })
  await insertApplication(db, application)
  await insertApplicationSecret(db, CLIENT_ID, 'bench', CLIENT_SECRET)
}

export function startFamilies(db: Db, count: number): Promise<string[]> {
  const authorization = {
    applicationId: CLIENT_ID,
    user: PERSON,
    scope: SCOPE.split(' '),
    audience: AUDIENCE,
    sid: `ses_${randomUUID()}`,
    authTime: new Date(),
  }
  return Promise.all(
    Array.from({ length: count }, () => startFamily(db, { ...authorization, grantId: newId('grt') }, 3_600)),
  )
}
