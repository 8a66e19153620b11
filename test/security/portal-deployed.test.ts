import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { insertIntegrator } from '../../src/domain/integrators/integrator-store.ts'
import { insertTeam } from '../../src/domain/teams/team-store.ts'
import { newId } from '../../src/platform/ids.ts'
import { createPasswordHasher } from '../../src/platform/password-hash.ts'
import { startDeployed } from '../harness/deployed.ts'
import { PORTAL_PASSWORD, submitTo } from '../harness/portal-scene.ts'
import { WebClient } from '../harness/web-client.ts'

const service = await startDeployed()
after(service.stop)
const { db } = service.database
const at = (path: string) => `${service.url}/portal${path}`

const ann = { id: newId('int'), email: 'ann@example.com', name: 'Ann' }
const passwordHash = (await createPasswordHasher().hash(PORTAL_PASSWORD)) ?? ''
await insertIntegrator(db, { ...ann, passwordHash })
const team = { id: newId('tem'), name: 'Rota', ownerId: ann.id }
await insertTeam(db, team, { actor: { kind: 'command', id: null, name: 'test' }, requestId: null })

test('over https the cookie is this host’s alone: __Host- and Secure', async () => {
  const browser = new WebClient()
  const page = await browser.open(at('/sign-in'))
  const answer = await browser.submit(page, { email: ann.email, password: PORTAL_PASSWORD })
  assert.equal(answer.status, 303, answer.text)
  const [cookie = ''] = answer.headers.getSetCookie().filter((line) => line.includes('handover-portal='))
  assert.match(cookie, /^__Host-handover-portal=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure; Max-Age=2592000$/)
})

test('404 without a way to send mail: nobody signs up or resets; nobody is invited, and the pages do not offer it', async () => {
  const browser = new WebClient()
  for (const path of ['/sign-up', '/reset']) assert.equal((await browser.open(at(path))).status, 404)
  const signIn = await browser.open(at('/sign-in'))
  assert.doesNotMatch(signIn.text, /Create an account|Forgotten/)
  const fields = { name: 'Eve', email: 'eve@example.com', password: PORTAL_PASSWORD }
  const csrf = /name="csrf" value="([^"]+)"/.exec(signIn.text)?.[1] ?? ''
  const sameOrigin = { 'sec-fetch-site': 'same-origin' }
  assert.equal((await browser.post(at('/sign-up'), { ...fields, csrf }, sameOrigin)).status, 404)
  assert.equal((await browser.post(at('/reset'), { ...fields, csrf }, sameOrigin)).status, 404)

  const home = await browser.send(signIn, { email: ann.email, password: PORTAL_PASSWORD })
  assert.match(home.text, /<h1>Rota<\/h1>/)
  assert.doesNotMatch(home.text, /Send the invitation|Invite a colleague/)
  const own = /name="csrf" value="([^"]+)"/.exec(home.text)?.[1] ?? ''
  const invitation = { csrf: own, email: 'eve@example.com', role: 'owner' }
  const refused = await browser.post(at(`/teams/${team.id}/invitations`), invitation, sameOrigin)
  assert.equal(refused.status, 400)
  assert.match(refused.text, /cannot send mail/)
  assert.deepEqual([...(await db`select 1 from team_invitations`)], [])
})

test('no secret of a link, a password or a cookie reaches the log', async () => {
  const browser = new WebClient()
  const secret = 'S'.repeat(43)
  for (const path of [
    `/join?invitation=${secret}`,
    `/reset/password?secret=${secret}`,
    `/sign-in?invitation=${secret}`,
  ])
    await browser.open(at(path))
  const page = await browser.open(at(`/sign-in?invitation=${secret}`))
  await submitTo(browser, page, '/sign-in', { email: ann.email, password: PORTAL_PASSWORD })
  const cookie = browser.cookie(service.url, '__Host-handover-portal') ?? 'none'
  for (const words of [secret, PORTAL_PASSWORD, cookie])
    assert.ok(!service.logged.some((line) => line.includes(words)), words)
})
