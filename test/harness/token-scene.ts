import assert from 'node:assert/strict'
import { type Application, newApplication } from '../../src/domain/applications/application.ts'
import { insertApplication, insertApplicationSecret } from '../../src/domain/applications/application-store.ts'
import { insertCode, type NewCode } from '../../src/domain/tokens/authorization-code-store.ts'
import type { User } from '../../src/domain/users/user.ts'
import { findUserByLogin } from '../../src/domain/users/user-store.ts'
import type { Db } from '../../src/platform/db.ts'
import { newId } from '../../src/platform/ids.ts'
import { newOpaqueSecret } from '../../src/platform/opaque-secret.ts'
import { type Answer, ask, type Fields, postForm, textOf } from './answer.ts'
import { startHandover, type TestHandover } from './handover.ts'

export const PRODUCTION = 'urn:handover:api:production'
export const SANDBOX = 'urn:handover:api:sandbox'

export type TestApplication = { id: string; secret: string | null }

/** The service with what tests of tokens need: applications with any settings, codes, and requests in one line. */
export type TokenScene = {
  service: TestHandover
  url: string
  db: Db
  /** The seeded nurse, and the password of every seeded person. */
  nurse: User
  password: string
  application: (settings?: Partial<Application>) => Promise<TestApplication>
  /** As /authorize would issue it: for the nurse, with offline_access, unless told otherwise. */
  code: (application: TestApplication, more?: Partial<NewCode>) => Promise<string>
  /** POST /oidc/oauth/token with the application's id and secret in the body; null leaves a field out. */
  token: (application: TestApplication, fields: Fields, at?: string) => Promise<Answer>
  exchange: (application: TestApplication, code: string, fields?: Fields, at?: string) => Promise<Answer>
  refresh: (application: TestApplication, token: string, fields?: Fields, at?: string) => Promise<Answer>
  /** A new grant: code issued and exchanged. */
  grant: (application: TestApplication, more?: Partial<NewCode>) => Promise<{ access: string; refresh: string }>
  introspect: (application: TestApplication, token: string, at?: string) => Promise<Answer>
  userinfo: (accessToken: string, at?: string) => Promise<Answer>
}

const credentials = ({ id, secret }: TestApplication) => ({ client_id: id, client_secret: secret })

export async function startTokenScene(
  env: Record<string, string> = {},
  between?: (databaseUrl: string) => string,
): Promise<TokenScene> {
  const service = await startHandover(env, between)
  const { db } = service.database
  const nurse = await findUserByLogin(db, 'nurse')
  assert.ok(nurse)
  const { url } = service

  const scene: TokenScene = {
    service,
    url,
    db,
    nurse: nurse.user,
    password: service.demo['DEMO_PASSWORD'] ?? '',

    async application(settings = {}) {
      const application = newApplication({ id: newId('app'), name: 'Test', type: 'web', ...settings })
      await insertApplication(db, application)
      if (application.tokenEndpointAuthentication === 'none') return { id: application.id, secret: null }
      const secret = newOpaqueSecret()
      await insertApplicationSecret(db, application.id, 'test', secret)
      return { id: application.id, secret }
    },

    code: (application, more = {}) =>
      insertCode(db, {
        grantId: newId('grt'),
        applicationId: application.id,
        userId: nurse.user.id,
        redirectUri: null,
        scope: ['openid', 'offline_access'],
        audience: null,
        nonce: null,
        codeChallenge: null,
        sid: newId('ses'),
        authTime: new Date(),
        ...more,
      }),

    token: (application, fields, at = url) =>
      postForm(`${at}/oidc/oauth/token`, { ...credentials(application), ...fields }),

    exchange: (application, code, fields = {}, at = url) =>
      scene.token(application, { grant_type: 'authorization_code', code, ...fields }, at),

    refresh: (application, token, fields = {}, at = url) =>
      scene.token(application, { grant_type: 'refresh_token', refresh_token: token, ...fields }, at),

    async grant(application, more = {}) {
      const answer = await scene.exchange(application, await scene.code(application, more))
      return { access: textOf(answer, 'access_token'), refresh: textOf(answer, 'refresh_token') }
    },

    introspect: (application, token, at = url) =>
      postForm(`${at}/oidc/oauth/introspect`, { ...credentials(application), token }),

    userinfo: (accessToken, at = url) =>
      ask(`${at}/oidc/userinfo`, { headers: { authorization: `Bearer ${accessToken}` } }),
  }
  return scene
}
