import assert from 'node:assert/strict'
import { type Application, newApplication } from '../../src/domain/applications/application.ts'
import { insertApplication } from '../../src/domain/applications/application-store.ts'
import { giveToTeam } from '../../src/domain/applications/application-team-store.ts'
import { enrolAccountTotp } from '../../src/domain/credentials/account-totp-store.ts'
import { STAFF } from '../../src/domain/staff/staff.ts'
import { insertStaff } from '../../src/domain/staff/staff-store.ts'
import { askSupport, type NewRequest } from '../../src/domain/support-requests/support-request-store.ts'
import { newRecoveryCodes } from '../../src/domain/users/recovery-code.ts'
import { newTotpSecret } from '../../src/domain/users/totp.ts'
import type { Cipher } from '../../src/platform/cipher.ts'
import type { Db } from '../../src/platform/db.ts'
import { newId } from '../../src/platform/ids.ts'
import type { PasswordHasher } from '../../src/platform/password-hash.ts'
import { type Colleague, newAddress, type PortalScene, startPortalScene } from './portal-scene.ts'
import { WebClient } from './web-client.ts'

export const STAFF_PASSWORD = 'marble harbour 9'

export type Agent = { id: string; email: string; name: string; recoveryCodes: string[] }

/** Staff as they are after their first day: a password, and a second factor unless it is said otherwise. */
export function agentsOf(db: Db, { passwords, cipher }: { passwords: PasswordHasher; cipher: Cipher }) {
  return async (name = 'Sam Desk', options: { secondFactor: boolean } = { secondFactor: true }): Promise<Agent> => {
    const agent = { id: newId('stf'), email: newAddress(), name }
    await insertStaff(db, { ...agent, passwordHash: await passwords.hash(STAFF_PASSWORD) })
    const recoveryCodes = newRecoveryCodes()
    if (options.secondFactor)
      await enrolAccountTotp(db, STAFF, cipher, { id: agent.id, secret: newTotpSecret(), step: 0, recoveryCodes })
    return { ...agent, recoveryCodes }
  }
}

/** Signed in with a recovery code, which unlike the app's works at any moment. */
export async function signInAt(url: string, { email, recoveryCodes }: Agent, with2fa = true): Promise<WebClient> {
  const browser = new WebClient()
  const page = await browser.open(`${url}/support/sign-in`)
  const answer = await browser.submit(page, { email, password: STAFF_PASSWORD })
  assert.equal(answer.status, 303, answer.text)
  if (!with2fa) return browser
  const code = await browser.open(`${url}/support/code?with=recovery`)
  assert.equal((await browser.submit(code, { recovery_code: recoveryCodes.shift() ?? '' })).status, 303)
  return browser
}

/** The service with what tests of the support console need, beside what those of the portal do. */
export type SupportScene = PortalScene & {
  /** An address of this scene's console. */
  desk: (path: string) => string
  agent: ReturnType<typeof agentsOf>
  atDesk: (agent: Agent) => Promise<WebClient>
  applicationCalled: (name: string, teamId: string, settings?: Partial<Application>) => Promise<string>
  /** Through the domain, as the portal's page does. Answers the request's id. */
  ask: (who: Colleague, request: Omit<NewRequest, 'askedBy' | 'reason'> & { reason?: string }) => Promise<string>
  /** As if they had signed in so long ago. */
  age: (agent: Agent, minutes: number) => Promise<void>
}

export async function startSupportScene(env: Record<string, string> = {}): Promise<SupportScene> {
  const portal = await startPortalScene(env)
  const { db, service, url } = portal
  return {
    ...portal,
    desk: (path) => `${url}/support${path}`,
    agent: agentsOf(db, service.deps),
    atDesk: (agent) => signInAt(url, agent),

    async applicationCalled(name, teamId, settings = {}) {
      const id = newId('app')
      await insertApplication(db, newApplication({ id, name, type: 'machine', ...settings }))
      await giveToTeam(db, teamId, [id])
      return id
    },

    async ask(who, { reason = 'Our back end works at night.', ...request }) {
      const doing = { actor: { kind: 'integrator', id: who.id, name: who.email }, requestId: null } as const
      const asked = await askSupport(db, { ...request, askedBy: who.id, reason }, doing)
      assert.equal(asked.outcome, 'asked')
      return asked.outcome === 'asked' ? asked.id : ''
    },

    async age({ id }, minutes) {
      await db`update staff_sessions set auth_time = now() - make_interval(mins => ${minutes}) where staff_id = ${id}`
    },
  }
}
