import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type Application, newApplication } from '../../src/domain/applications/application.ts'
import { insertApplication, insertApplicationSecret } from '../../src/domain/applications/application-store.ts'
import { giveToTeam } from '../../src/domain/applications/application-team-store.ts'
import { insertIntegrator } from '../../src/domain/integrators/integrator-store.ts'
import { enrolIntegratorTotp } from '../../src/domain/integrators/integrator-totp-store.ts'
import type { TeamRole } from '../../src/domain/teams/team.ts'
import { insertTeam } from '../../src/domain/teams/team-store.ts'
import { newRecoveryCodes } from '../../src/domain/users/recovery-code.ts'
import { newTotpSecret } from '../../src/domain/users/totp.ts'
import type { Db } from '../../src/platform/db.ts'
import { newId } from '../../src/platform/ids.ts'
import { newOpaqueSecret } from '../../src/platform/opaque-secret.ts'
import { codeIn, nextMail } from './demo-mail.ts'
import { startHandover, type TestHandover } from './handover.ts'
import { type FormFields, formsOf, type WebAnswer, WebClient } from './web-client.ts'

export const PORTAL_PASSWORD = 'tangerine boat 7'

export type Colleague = { id: string; email: string; name: string }

type Members = readonly [[Colleague, 'owner'], ...Array<[Colleague, TeamRole]>]

/** The service with what tests of the portal need: integrators, teams, and browsers in which they are signed in. */
export type PortalScene = {
  service: TestHandover
  url: string
  db: Db
  /** An address of this scene's portal. */
  at: (path: string) => string
  colleague: (name?: string) => Promise<Colleague>
  /** The first one is its owner. */
  team: (name: string, members: Members) => Promise<string>
  /** An application of that team, with one client secret. */
  application: (
    team: string,
    settings?: Partial<Application>,
  ) => Promise<{ application: string; secret: string; clientSecret: string }>
  signedIn: (who: Pick<Colleague, 'email'>) => Promise<WebClient>
  /** Through the sign-up page as far as the page that asks for the code. */
  beginSignUp: (browser: WebClient, email: string, from?: string) => Promise<WebAnswer>
  /** As far as the team. */
  signUp: (browser: WebClient, email: string, from?: string) => Promise<WebAnswer>
  enrol: (id: string) => Promise<{ secret: Buffer; recoveryCodes: string[] }>
}

export function newAddress(): string {
  return `${randomUUID()}@example.com`
}

export async function startPortalScene(env: Record<string, string> = {}): Promise<PortalScene> {
  const service = await startHandover(env)
  const { db } = service.database
  const hash = await service.deps.passwords.hash(PORTAL_PASSWORD)
  const at = (path: string) => `${service.url}/portal${path}`

  const scene: PortalScene = {
    service,
    url: service.url,
    db,
    at,

    async colleague(name = 'Ann Lee') {
      const one = { id: newId('int'), email: newAddress(), name }
      await insertIntegrator(db, { ...one, passwordHash: hash ?? '' })
      return one
    },

    async team(name, [[owner], ...others]) {
      const id = newId('tem')
      const doing = { actor: { kind: 'integrator', id: owner.id, name: owner.email }, requestId: null } as const
      await insertTeam(db, { id, name, ownerId: owner.id }, doing)
      for (const [{ id: integratorId }, role] of others)
        await db`insert into team_members (team_id, integrator_id, role) values (${id}, ${integratorId}, ${role})`
      return id
    },

    async application(teamId, settings = {}) {
      const made = newApplication({ id: newId('app'), name: 'Shift planner', type: 'web', ...settings })
      await insertApplication(db, made)
      await giveToTeam(db, teamId, [made.id])
      const clientSecret = newOpaqueSecret()
      await insertApplicationSecret(db, made.id, 'first', clientSecret)
      const [row] = await db<[{ id: string }]>`select id from application_secrets where application_id = ${made.id}`
      return { application: made.id, secret: row.id, clientSecret }
    },

    async signedIn({ email }) {
      const browser = new WebClient()
      const page = await browser.open(at('/sign-in'))
      const answer = await browser.submit(page, { email, password: PORTAL_PASSWORD })
      assert.equal(answer.status, 303, answer.text)
      return browser
    },

    async beginSignUp(browser, email, from = at('/sign-up')) {
      const form = await browser.open(from)
      return browser.send(form, { name: 'New Comer', email, password: PORTAL_PASSWORD })
    },

    async signUp(browser, email, from) {
      const page = await scene.beginSignUp(browser, email, from)
      return browser.send(page, { code: codeIn(await nextMail(service.url, email)) })
    },

    async enrol(id) {
      const secret = newTotpSecret()
      const recoveryCodes = newRecoveryCodes()
      await enrolIntegratorTotp(db, service.deps.cipher, { id, secret, step: 0, recoveryCodes })
      return { secret, recoveryCodes }
    },
  }
  return scene
}

/** Fills in the form of a page that posts to an address which ends so, and sends it as a browser would. */
export async function submitTo(
  browser: WebClient,
  page: WebAnswer,
  ending: string,
  fields: FormFields = {},
): Promise<WebAnswer> {
  const form = formsOf(page).find(({ method, action }) => method === 'post' && action.endsWith(ending))
  assert.ok(form, `no form to ${ending} at ${page.url}: ${page.status} ${page.text}`)
  const headers = { origin: 'null', 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'navigate' }
  return browser.post(form.action, { ...form.fields, ...fields }, headers)
}

export function pathOf({ url }: { url: string }): string {
  return new URL(url).pathname
}
