import { randomBytes } from 'node:crypto'
import type { Application } from '../../src/domain/applications/application.ts'
import type { Environment } from '../../src/domain/environment.ts'
import { connectApplication, grantAccess, upsertFacility } from '../../src/domain/facilities/facility-store.ts'
import type { WebhookKind } from '../../src/domain/webhooks/webhook.ts'
import { insertWebhook } from '../../src/domain/webhooks/webhook-store.ts'
import { newId } from '../../src/platform/ids.ts'
import { addPerson } from './add-person.ts'
import { textOf } from './answer.ts'
import { type Api, apiAt } from './api-client.ts'
import { PRODUCTION, SANDBOX, startTokenScene, type TestApplication, type TokenScene } from './token-scene.ts'

export const HOOK_URL = 'https://partner.example/hook'

/** Bodies that are right, for tests in which something else is wrong. */
export const FACILITY_HOOK = { url: HOOK_URL, events: ['shift.created'], facilities: [], secrets: [] }
export const USER_HOOK = { url: HOOK_URL, events: ['facility.creation.accepted'], secrets: [] }

const API_SCOPE = ['openid', 'marketplace:read', 'marketplace:write']

/** The service with what tests of the public API need: people, facilities, tokens of both kinds, calls in one line. */
export type ApiScene = TokenScene & {
  /** An application that may use client_credentials, with every other setting as it is for a new one. */
  integrator: (settings?: Partial<Application>) => Promise<TestApplication>
  person: () => Promise<string>
  /** A facility that these people have access to and these applications are connected to. */
  facility: (environment: Environment, ...whose: Array<string | TestApplication>) => Promise<string>
  /** A token of the application itself. */
  appToken: (application: TestApplication, environment?: Environment, at?: string) => Promise<string>
  /** A token of a person through a code, with every API scope unless told otherwise. */
  personToken: (
    application: TestApplication,
    userId: string,
    environment?: Environment,
    scope?: string[],
  ) => Promise<string>
  api: (token: string, at?: string) => Api
  /** As `api`, with a new token. */
  appApi: (application: TestApplication, environment?: Environment) => Promise<Api>
  personApi: (application: TestApplication, userId: string, environment?: Environment) => Promise<Api>
  /** So many webhooks at once, without the API: what a test begins with. Answers their ids, oldest first. */
  webhooks: (owner: WebhookOwner, kind: WebhookKind, count: number) => Promise<string[]>
}

type WebhookOwner = { application: TestApplication; userId?: string; environment?: Environment }

export async function startApiScene(
  env: Record<string, string> = {},
  between?: (databaseUrl: string) => string,
): Promise<ApiScene> {
  const tokens = await startTokenScene(env, between)
  const { db, url, service } = tokens

  const scene: ApiScene = {
    ...tokens,

    integrator: (settings = {}) => tokens.application({ clientCredentials: true, ...settings }),

    person: () => addPerson(db, 'FACILITY_USER'),

    async facility(environment, ...whose) {
      const id = `fac_${randomBytes(6).toString('hex')}`
      await upsertFacility(db, { environment, id, name: id, city: null, state: null })
      for (const each of whose) {
        if (typeof each === 'string') await grantAccess(db, { environment, id }, each)
        else await connectApplication(db, { environment, id }, each.id)
      }
      return id
    },

    async appToken(application, environment = 'production', at = url) {
      const fields = { grant_type: 'client_credentials', audience: audienceOf(environment) }
      return textOf(await tokens.token(application, fields, at), 'access_token')
    },

    async personToken(application, userId, environment = 'production', scope = API_SCOPE) {
      const code = await tokens.code(application, { userId, scope, audience: audienceOf(environment) })
      return textOf(await tokens.exchange(application, code), 'access_token')
    },

    api: (token, at = url) => apiAt(at, token),
    appApi: async (application, environment) => scene.api(await scene.appToken(application, environment)),
    personApi: async (application, userId, environment) =>
      scene.api(await scene.personToken(application, userId, environment)),

    async webhooks({ application, userId, environment = 'production' }, kind, count) {
      const ids: string[] = []
      for (let made = 0; made < count; made += 1) {
        const id = newId('whk')
        await insertWebhook(
          db,
          service.deps.cipher,
          {
            id,
            kind,
            environment,
            applicationId: application.id,
            userId: userId ?? null,
            url: HOOK_URL,
            events: ['all'],
            facilities: [],
            secrets: ['a secret'],
          },
          1_000_000,
        )
        ids.push(id)
      }
      return ids
    },
  }
  return scene
}

export function audienceOf(environment: Environment): string {
  return environment === 'production' ? PRODUCTION : SANDBOX
}
