import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { findIntegratorTotp } from '../../src/domain/integrators/integrator-totp-store.ts'
import { newId } from '../../src/platform/ids.ts'
import { linkIn, nextMail } from '../harness/demo-mail.ts'
import { PORTAL_PASSWORD } from '../harness/portal-scene.ts'
import { startSupportScene } from '../harness/support-scene.ts'
import { actsOn, actWithReason } from '../harness/support-steps.ts'
import { WebClient } from '../harness/web-client.ts'

const scene = await startSupportScene()
after(scene.service.stop)
beforeEach(() => scene.db`delete from failure_counts`)
const { db, desk, url } = scene
const atDesk = await scene.atDesk(await scene.agent())

async function newcomer(name = 'Ann Lee') {
  const one = await scene.colleague(name)
  return { ...one, at: desk(`/integrators/${one.id}`) }
}
const isSignedIn = async (browser: WebClient) => (await browser.get(scene.at('/account'))).status === 200
async function tryPassword(email: string, password = PORTAL_PASSWORD) {
  const browser = new WebClient()
  return browser.submit(await browser.open(scene.at('/sign-in')), { email, password })
}

test('200 with who they are, their teams and sessions; 404 for nobody', async () => {
  const ann = await newcomer()
  const team = await scene.team('Rota Partners', [[ann, 'owner']])
  await scene.signedIn(ann)
  const { text } = await atDesk.open(ann.at)
  for (const fact of [ann.id, ann.email, 'Rota Partners', `/support/teams/${team}`, 'end-session?session=ses_'])
    assert.ok(text.includes(fact), fact)
  const [row] = await db<[{ hash: string }]>`select password_hash as hash from integrators where id = ${ann.id}`
  assert.ok(!text.includes(row.hash))
  assert.equal((await atDesk.get(desk('/integrators/int_0'))).status, 404)
})

test('one session is ended, or all of them', async () => {
  const ann = await newcomer()
  const [one, other, third] = [await scene.signedIn(ann), await scene.signedIn(ann), await scene.signedIn(ann)]
  const [newest] = await db<[{ sid: string }]>`
    select sid from integrator_sessions where integrator_id = ${ann.id} order by auth_time desc limit 1`
  const answer = await actWithReason(atDesk, `${ann.at}/end-session?session=${newest.sid}`)
  assert.equal(answer.location, `${ann.at}?done=session`)
  assert.deepEqual(await Promise.all([one, other, third].map(isSignedIn)), [true, true, false])
  await actWithReason(atDesk, `${ann.at}/end-sessions`)
  assert.deepEqual(await Promise.all([one, other].map(isSignedIn)), [false, false])
  assert.deepEqual(
    (await actsOn(db, ann.id)).map(({ action }) => action),
    ['integrator.sessions-ended', 'integrator.session-ended'],
  )
})

test('whoever is locked out of the portal is unlocked and signs in at once', async () => {
  const ann = await newcomer()
  for (let turn = 0; turn < 10; turn += 1) await tryPassword(ann.email, 'wrong')
  assert.equal((await tryPassword(ann.email)).status, 429)
  assert.match((await atDesk.open(ann.at)).text, /class="tag bad">locked/)
  await actWithReason(atDesk, `${ann.at}/unlock`)
  assert.equal((await tryPassword(ann.email)).status, 303)
})

test('a forced reset: password and sessions are useless at once, and the mailed link sets a new one', async () => {
  const ann = await newcomer()
  const browser = await scene.signedIn(ann)
  const answer = await actWithReason(atDesk, `${ann.at}/reset-password`)
  assert.equal(answer.location, `${ann.at}?done=new-password`)
  assert.equal(await isSignedIn(browser), false)
  assert.equal((await tryPassword(ann.email)).status, 400)
  assert.equal((await tryPassword(ann.email, '')).status, 400)
  const link = linkIn(await nextMail(url, ann.email))
  const secret = new URL(link).searchParams.get('secret') ?? 'none'
  assert.ok(!(await atDesk.open(ann.at)).text.includes(secret))
  const theirs = new WebClient()
  assert.equal((await theirs.submit(await theirs.open(link), { password: 'quiet lemon 44' })).status, 200)
  assert.equal((await tryPassword(ann.email, 'quiet lemon 44')).status, 303)
})

test('the second factor and the passkeys are removed, each by itself', async () => {
  const ann = await newcomer()
  await scene.enrol(ann.id)
  await db`
    insert into integrator_passkeys (id, integrator_id, credential_id, public_key, counter, transports, synced, name)
    select ${newId('psk')} || n, ${ann.id}, sha256(n::text::bytea), 'x', 0, '{}', false, 'Phone'
    from generate_series(1, 2) as n`
  const answer = await actWithReason(atDesk, `${ann.at}/remove-second-factor`)
  assert.equal(answer.location, `${ann.at}?done=factor-removed`)
  assert.equal(await findIntegratorTotp(db, ann.id), null)
  assert.match((await nextMail(url, ann.email)).text, /removed the second factor/)
  const passkeys = await actWithReason(atDesk, `${ann.at}/remove-passkeys`)
  assert.equal(passkeys.location, `${ann.at}?done=passkeys-removed`)
  assert.equal((await db`select 1 from integrator_passkeys where integrator_id = ${ann.id}`).length, 0)
  const [entry] = await actsOn(db, ann.id)
  assert.deepEqual([entry?.action, entry?.after['passkeys']], ['integrator.passkeys-removed', 2])
})

test('nothing of it is in the audit log of a team', async () => {
  const ann = await newcomer()
  const team = await scene.team('Rota Partners', [[ann, 'owner']])
  await actWithReason(atDesk, `${ann.at}/unlock`)
  await actWithReason(atDesk, `${ann.at}/reset-password`, { reason: 'A secret matter.' })
  const entries = await db`select 1 from audit_log where team_id = ${team} and action <> 'team.created'`
  assert.equal(entries.length, 0)
})
