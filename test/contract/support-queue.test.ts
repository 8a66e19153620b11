import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { insertApplicationSecret } from '../../src/domain/applications/application-store.ts'
import { ask } from '../harness/answer.ts'
import { mailsTo, nextMail } from '../harness/demo-mail.ts'
import { pathOf, submitTo } from '../harness/portal-scene.ts'
import { PATIENCE_MS, soon, soonHeard } from '../harness/soon.ts'
import { startSupportScene } from '../harness/support-scene.ts'

const scene = await startSupportScene()
after(scene.service.stop)
const { db, desk } = scene

const ann = await scene.colleague('Ann Lee')
const team = await scene.team('Rota Partners', [[ann, 'owner']])
const sam = await scene.agent()
const browser = await scene.atDesk(sam)

async function token(clientId: string, secret: string) {
  return ask(`${scene.url}/oidc/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: secret,
      audience: scene.service.demo['API_AUDIENCE_SANDBOX'] ?? '',
    }),
  })
}

test('client_credentials: refused, asked for, approved by support, and it works at once', async () => {
  const id = await scene.applicationCalled('Night rota', team)
  await insertApplicationSecret(db, id, 'first', 'a secret of their own')
  assert.equal((await token(id, 'a secret of their own')).status, 400)
  const wanted = { clientCredentials: true }
  const request = await scene.ask(ann, { teamId: team, applicationId: id, setting: 'client-credentials', wanted })

  const queue = await browser.open(desk(''))
  assert.match(queue.text, /Client credentials<\/a> for <bdi>Night rota/)
  for (const fact of [
    'Rota Partners',
    ann.email,
    'Our back end works at night.',
    '<del>Off</del>',
    '<strong>On</strong>',
  ])
    assert.ok(queue.text.includes(fact), fact)
  const page = await browser.open(desk(`/requests/${request}`))
  const done = await submitTo(browser, page, '/approve', { note: 'Welcome.' })
  assert.equal(done.location, desk('?done=approved'))

  assert.ok(await soonHeard(db, async () => (await token(id, 'a secret of their own')).status === 200))
  const mail = await nextMail(scene.url, ann.email)
  assert.match(mail.subject, /approved your request: Client credentials/)
  assert.ok(mail.text.includes(`/portal/teams/${team}/applications/${id}/support`))
  assert.ok(!mail.text.includes('Welcome.'))
  const [entry] = await db<Array<{ actor_kind: string; actor_name: string; before: object; after: object }>>`
    select actor_kind, actor_name, before, after from audit_log where application_id = ${id} and action = 'support.approved'`
  assert.deepEqual(entry, {
    actor_kind: 'staff',
    actor_name: sam.email,
    before: { 'Client credentials': 'Off' },
    after: { 'Client credentials': 'On', answer: 'Welcome.' },
  })
  const log = await (await scene.signedIn(ann)).open(scene.at(`/teams/${team}/audit`))
  assert.match(log.text, /<bdi>Support<\/bdi>/)
  assert.ok(
    log.text.includes('Welcome.') && !log.text.includes(sam.email),
    'which of staff it was is not theirs to read',
  )
  assert.doesNotMatch((await browser.open(desk(''))).text, /Night rota/)
  assert.match((await browser.open(desk('?state=approved'))).text, /Night rota/)
})

test('denied needs a note, which is not lost when it is missing or odd; nothing is changed', async () => {
  const id = await scene.applicationCalled('Day rota', team)
  const wanted = { passwordGrant: true }
  const request = await scene.ask(ann, { teamId: team, applicationId: id, setting: 'password-grant', wanted })
  const page = await browser.open(desk(`/requests/${request}`))
  const missing = await submitTo(browser, page, '/approve', { note: 'x\u202ey' })
  assert.equal(missing.status, 400)
  assert.match(missing.text, /characters in it that cannot be shown/)
  const csrf = /name="csrf" value="([^"]+)"/.exec(page.text)?.[1] ?? ''
  const deny = (note: string) => browser.post(desk(`/requests/${request}/deny`), { csrf, note })
  assert.equal((await deny('')).status, 400)
  assert.match((await deny(' ')).text, /Say why, so that they know what to change/)
  assert.match((await deny('x'.repeat(2_001))).text, /x{2001}<\/textarea>/)
  assert.equal((await deny('Use our pages.\nThey are safer.')).location, desk('?done=denied'))
  const [row] = await db<[{ password_grant: boolean }]>`select password_grant from applications where id = ${id}`
  assert.equal(row.password_grant, false)
  assert.ok(
    await soon(
      async () => (await mailsTo(scene.url, ann.email)).some(({ subject }) => /answered/.test(subject)),
      PATIENCE_MS,
    ),
  )
})

test('409 for who is late: of two answers at once one holds', async () => {
  const id = await scene.applicationCalled('Twice', team)
  const wanted = { firstParty: true }
  const request = await scene.ask(ann, { teamId: team, applicationId: id, setting: 'first-party', wanted })
  const page = await browser.open(desk(`/requests/${request}`))
  const answers = await Promise.all(
    ['/approve', '/approve', '/approve'].map((ending) => submitTo(browser, page, ending, { note: 'Fine.' })),
  )
  assert.deepEqual(
    answers.map(({ status }) => status).toSorted((one, other) => one - other),
    [303, 409, 409],
  )
  const late = answers.find(({ status }) => status === 409)
  assert.match(late?.text ?? '', /Somebody answered it before you/)
  const rows = await db`select 1 from audit_log where application_id = ${id} and action = 'support.approved'`
  assert.equal(rows.length, 1)
})

test('404 for what was never asked, and for what belongs to a deleted application', async () => {
  const id = await scene.applicationCalled('Gone', team)
  const wanted = { firstParty: true }
  const request = await scene.ask(ann, { teamId: team, applicationId: id, setting: 'first-party', wanted })
  await db`update applications set deleted_at = now() where id = ${id}`
  for (const each of [request, 'sup_1', '%20', '%00', `sup_${'0'.repeat(32)}`])
    assert.equal((await browser.get(desk(`/requests/${each}`))).status, 404)
})

test('the queue is read page by page, the longest waiting first; a cursor that is none counts as none', async () => {
  for (let number = 0; number < 23; number += 1) {
    const id = await scene.applicationCalled(`Many ${String(number).padStart(2, '0')}`, team)
    await scene.ask(ann, { teamId: team, applicationId: id, setting: 'first-party', wanted: { firstParty: true } })
  }
  const first = await browser.open(desk('?after=%00'))
  assert.match(first.text, /Many 00/)
  assert.doesNotMatch(first.text, /Many 22/)
  const next = /href="(\/support\?state=open&amp;after=sup_[0-9a-f]{32})"/.exec(first.text)?.[1] ?? ''
  const second = await browser.open(`${scene.url}${next.replace('&amp;', '&')}`)
  assert.equal(pathOf(second), '/support')
  assert.match(second.text, /Many 22/)
  assert.doesNotMatch(second.text, /Many 00/)
})
