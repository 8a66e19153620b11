import { createHash } from 'node:crypto'
import { upsertPeople } from '../../src/domain/accounts/upsert-people.ts'
import { findApplication } from '../../src/domain/applications/application-store.ts'
import { applicationsOfTeam } from '../../src/domain/applications/team-application-store.ts'
import { countAttempt, forgive } from '../../src/domain/limits/failure-store.ts'
import { signInLimits } from '../../src/domain/limits/sign-in-limits.ts'
import { lookUp } from '../../src/domain/lookup/lookup-store.ts'
import { requestsWithId } from '../../src/domain/requests/request-log-store.ts'
import { isKnownBrowser, rememberBrowser } from '../../src/domain/sessions/known-browser-store.ts'
import { startSession } from '../../src/domain/sessions/session-store.ts'
import { useRefreshToken } from '../../src/domain/tokens/refresh-token-store.ts'
import { findUser, findUserByLogin, hasPassword } from '../../src/domain/users/user-store.ts'
import { transaction } from '../../src/platform/transaction.ts'
import { addressOf, idOf, PER_TEAM } from './numbered.ts'
import type { Scene } from './scene.ts'
import { found, type Touch } from './touch.ts'

/** What touches people and applications. */
export const PEOPLE_TOUCHES: Touch[] = [
  { title: 'sign in, without the password’s hash', call: signIn },
  { title: 'refresh', call: refresh },
  { title: 'userinfo', call: async ({ db }, number) => found(await findUser(db, idOf('usr', number)), 'person') },
  {
    title: 'an application that is not in memory',
    call: async ({ db }, number) => found(await findApplication(db, idOf('app', number)), 'application'),
  },
  { title: 'upsert a person', call: upsert },
  {
    title: 'portal: applications of a team',
    call: async ({ db }, number) => {
      const teamId = idOf('tea', Math.floor(number / PER_TEAM))
      const { applications } = await applicationsOfTeam(db, teamId, { before: null, limit: 20 })
      if (applications.length !== PER_TEAM) throw new Error(`${applications.length} applications`)
    },
  },
  { title: 'support: find an address', call: (scene, number) => find(scene, addressOf(number)) },
  { title: 'support: find an id', call: (scene, number) => find(scene, idOf('whk', number)) },
  {
    title: 'support: find a name by how it begins',
    call: (scene, number) => {
      const hash = createHash('md5').update(String(number)).digest('hex')
      return find(scene, `application ${hash.slice(0, 12)}`)
    },
  },
]

/** As the sign-in page does, but for argon2, which costs the same whoever comes. */
async function signIn({ db }: Scene, number: number): Promise<void> {
  const login = addressOf(number)
  const browser = { id: `browser ${number}`, userAgent: 'bench', address: `192.0.2.${number % 256}` }
  const limits = signInLimits(login, browser.address)
  const counted = (await isKnownBrowser(db, login, browser.id)) ? limits.inKnownBrowser : limits.all
  await countAttempt(db, counted)
  const { user, passwordHash } = found(await findUserByLogin(db, login), login)
  if (!(await hasPassword(db, user.id, passwordHash ?? ''))) throw new Error('The password is another one')
  await forgive(db, counted, [limits.accountAndAddress])
  await transaction(db, async (tx) => {
    await rememberBrowser(tx, user.id, browser.id)
    await startSession(tx, user.id, browser)
  })
}

async function refresh({ db, rotate, renewed }: Scene, number: number): Promise<void> {
  const application = { id: idOf('app', number), refreshRotating: true, refreshLeewaySeconds: 0 }
  const token = renewed.get(number) ?? `refresh ${number}`
  const outcome = await useRefreshToken(db, rotate, { token, scope: null, application, audiences: [] })
  if (outcome.verdict !== 'valid') throw new Error(`The refresh token is ${outcome.verdict}`)
  renewed.set(number, outcome.refreshToken)
}

async function upsert({ db }: Scene, number: number): Promise<void> {
  const person = { id: idOf('usr', number), email: addressOf(number), name: `Renamed ${performance.now()}` }
  const said = { ...person, role: 'NURSE_USER' as const, emailVerified: true }
  const { outcome } = await upsertPeople(db, 'sandbox', [said])
  if (outcome !== 'done') throw new Error(`A person was not taken: ${outcome}`)
}

async function find({ db }: Scene, sought: string): Promise<void> {
  const [hits] = await Promise.all([lookUp(db, sought), requestsWithId(db, sought, null)])
  if (hits.length !== 1) throw new Error(`${hits.length} hits for ${sought}`)
}
