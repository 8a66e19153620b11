import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Authenticator } from '../harness/authenticator.ts'
import { mailsTo, nextMail } from '../harness/demo-mail.ts'
import { addPasskey, beginPasskey, beginPasskeySignIn, sendPasskey, signInWith } from '../harness/passkey-steps.ts'
import { PORTAL_PASSWORD, startPortalScene, submitTo } from '../harness/portal-scene.ts'
import { WebClient } from '../harness/web-client.ts'

const scene = await startPortalScene()
after(scene.service.stop)

/** Signed in longer ago than counts as just now. */
async function longSignedIn(id: string): Promise<void> {
  await scene.db`update integrator_sessions set auth_time = now() - interval '6 minutes' where integrator_id = ${id}`
}

async function isIn(browser: WebClient): Promise<boolean> {
  return (await browser.get(scene.at('/account'))).status === 200
}

async function actionsOf(id: string): Promise<string[]> {
  const rows = await scene.db<Array<{ action: string }>>`
    select action from audit_log where actor_id = ${id} and team_id is null order by id`
  return rows.map(({ action }) => action)
}

test('303: a passkey is added by who has just signed in, and signs them in without password and code, with a new session', async () => {
  const ann = await scene.colleague()
  const browser = await scene.signedIn(ann)
  const authenticator = await addPasskey(scene, browser, 'Work laptop')
  await scene.enrol(ann.id)
  const other = new WebClient()
  const answer = await signInWith(scene, other, authenticator)
  assert.deepEqual([answer.status, answer.location], [303, scene.at('')])
  assert.ok(await isIn(other))
  assert.notEqual(other.cookie(scene.url, 'handover-portal'), browser.cookie(scene.url, 'handover-portal'))
  const page = await other.open(scene.at('/account/passkeys'))
  assert.match(page.text, /Work laptop.*last used <time/s)
})

test('what the authenticator is asked: this host, resident, with the person verified, no attestation, not one it has', async () => {
  const ann = await scene.colleague('Ann <b>Lee</b>')
  const browser = await scene.signedIn(ann)
  const authenticator = await addPasskey(scene, browser)
  const { options } = await beginPasskey(scene, browser)
  assert.deepEqual(options.rp, { id: 'localhost', name: 'Handover' })
  assert.deepEqual(options.user, {
    id: Buffer.from(ann.id).toString('base64url'),
    name: ann.email,
    displayName: 'Ann <b>Lee</b>',
  })
  assert.equal(options.attestation, 'none')
  assert.equal(options.authenticatorSelection.residentKey, 'required')
  assert.equal(options.authenticatorSelection.userVerification, 'required')
  assert.deepEqual(options.excludeCredentials, [
    { type: 'public-key', id: authenticator.credentialId.toString('base64url'), transports: ['internal'] },
  ])
  const signIn = await beginPasskeySignIn(scene, new WebClient())
  assert.equal(signIn.options.userVerification, 'required')
  assert.equal(signIn.options.allowCredentials, undefined, 'nobody learns which account has which passkey')
  assert.notEqual(signIn.options.challenge, options.challenge)
})

test('400: who signed in a while ago shows the password first, and the code where there is one', async () => {
  const ann = await scene.colleague()
  const browser = await scene.signedIn(ann)
  await longSignedIn(ann.id)
  const page = await browser.open(scene.at('/account/passkeys/new'))
  assert.match(page.text, /name="password"/)
  assert.doesNotMatch(page.text, /name="code"/)
  for (const password of ['', 'wrong']) {
    const refused = await submitTo(browser, page, '/passkeys/new', { name: 'Kept “name”', password })
    assert.equal(refused.status, 400)
    assert.match(refused.text, /That is not your password/)
    assert.match(refused.text, /value="Kept “name”"/)
    assert.doesNotMatch(refused.text, /data-options/)
  }
  const right = await submitTo(browser, page, '/passkeys/new', { name: 'Laptop', password: PORTAL_PASSWORD })
  assert.match(right.text, /data-options/)

  const { recoveryCodes } = await scene.enrol(ann.id)
  const withCode = await browser.open(scene.at('/account/passkeys/new'))
  const fields = { name: 'Laptop', password: PORTAL_PASSWORD }
  const wrong = await submitTo(browser, withCode, '/passkeys/new', { ...fields, code: '000000' })
  assert.equal(wrong.status, 400)
  assert.match(wrong.text, /That code is not right/)
  const both = await submitTo(browser, withCode, '/passkeys/new', { ...fields, code: recoveryCodes[0] ?? '' })
  assert.match(both.text, /data-options/)
})

test('400 at the field: a name that is missing, too long or changes direction, for a new one and an old one', async () => {
  const ann = await scene.colleague()
  const browser = await scene.signedIn(ann)
  await addPasskey(scene, browser)
  const list = await browser.open(scene.at('/account/passkeys'))
  const own = /\/portal\/account\/passkeys\/(psk_\w+)/.exec(list.text)?.[1] ?? ''
  const [fresh, old] = [
    await browser.open(scene.at('/account/passkeys/new')),
    await browser.open(scene.at(`/account/passkeys/${own}`)),
  ]
  for (const name of ['', '   ', 'x'.repeat(61), 'abc\u202egpj', 'line\nbreak']) {
    for (const [page, form] of [
      [fresh, '/passkeys/new'],
      [old, '/name'],
    ] as const) {
      const refused = await submitTo(browser, page, form, { name })
      assert.equal(refused.status, 400)
      assert.match(refused.text, /aria-invalid="true"/)
    }
  }
  const done = await submitTo(browser, old, '/name', { name: '<script>alert("x")</script> & co' })
  assert.equal(done.location, scene.at('/account/passkeys?done=passkey-renamed'))
  const shown = await browser.follow(done)
  assert.ok(shown.text.includes('&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt; &amp; co'))
  assert.ok(!shown.text.includes('<script>alert'))
})

test('removed is removed: it signs nobody in, whoever is in stays; each step is in the log and by mail, by name and without keys', async () => {
  const ann = await scene.colleague()
  const browser = await scene.signedIn(ann)
  const authenticator = await addPasskey(scene, browser, 'Old phone')
  assert.match((await nextMail(scene.url, ann.email)).text, /A passkey was added/)
  const other = new WebClient()
  assert.equal((await signInWith(scene, other, authenticator)).status, 303)
  const list = await browser.open(scene.at('/account/passkeys'))
  const own = /\/portal\/account\/passkeys\/(psk_\w+)/.exec(list.text)?.[1] ?? ''
  const page = await browser.open(scene.at(`/account/passkeys/${own}`))
  await submitTo(browser, page, '/name', { name: 'Older phone' })
  const removed = await submitTo(browser, page, '/remove')
  assert.equal(removed.location, scene.at('/account/passkeys?done=passkey-removed'))
  assert.equal((await submitTo(browser, page, '/remove')).status, 404)
  assert.match((await nextMail(scene.url, ann.email, 2)).text, /A passkey was removed/)
  assert.equal((await signInWith(scene, new WebClient(), authenticator)).status, 400)
  assert.ok(await isIn(other))
  assert.match((await browser.open(scene.at('/account/passkeys'))).text, /You have none yet/)
  assert.deepEqual(await actionsOf(ann.id), [
    'account.passkey-added',
    'account.passkey-renamed',
    'account.passkey-removed',
  ])
  const account = await browser.open(scene.at('/account'))
  assert.match(account.text, /Removed a passkey.*Renamed a passkey.*Added a passkey/s)
  assert.ok(!account.text.includes(authenticator.credentialId.toString('base64url')))
})

test('somebody else’s passkey does not exist, and is neither renamed nor removed', async () => {
  const [ann, bob] = [await scene.colleague(), await scene.colleague()]
  const [anns, bobs] = [await scene.signedIn(ann), await scene.signedIn(bob)]
  const authenticator = await addPasskey(scene, anns)
  await addPasskey(scene, bobs)
  const id = (browser: WebClient) =>
    browser
      .open(scene.at('/account/passkeys'))
      .then(({ text }) => /\/portal\/account\/passkeys\/(psk_\w+)/.exec(text)?.[1] ?? '')
  const [annsId, bobsId] = [await id(anns), await id(bobs)]
  assert.equal((await bobs.get(scene.at(`/account/passkeys/${annsId}`))).status, 404)
  const page = await bobs.open(scene.at(`/account/passkeys/${bobsId}`))
  for (const what of ['name', 'remove']) {
    const csrf = /name="csrf" value="([^"]+)"/.exec(page.text)?.[1] ?? ''
    const fields = { csrf, name: 'Mine now' }
    const headers = { 'sec-fetch-site': 'same-origin' }
    assert.equal((await bobs.post(scene.at(`/account/passkeys/${annsId}/${what}`), fields, headers)).status, 404)
  }
  assert.equal((await signInWith(scene, new WebClient(), authenticator)).status, 303)
  assert.deepEqual(await actionsOf(bob.id), ['account.passkey-added'])
})

test('at most twenty, also when the last two come at once; nothing is lost of what was typed', async () => {
  const ann = await scene.colleague()
  const browser = await scene.signedIn(ann)
  await scene.db`
    insert into integrator_passkeys (id, integrator_id, credential_id, public_key, counter, transports, synced, name)
    select 'psk_' || ${ann.id} || n, ${ann.id}, decode(md5(${ann.id} || n), 'hex'), '', 0, '{}', false, 'Old ' || n
    from generate_series(1, 19) as n`
  const other = await scene.signedIn(ann)
  const begun = await Promise.all([browser, other].map((each) => beginPasskey(scene, each)))
  const answers = await Promise.all(
    [browser, other].map((each, position) => {
      const { page, options } = begun[position] ?? assert.fail()
      return sendPasskey(each, page, new Authenticator(scene.url).create(options))
    }),
  )
  assert.deepEqual(
    answers.map(({ status }) => status).toSorted((less, more) => less - more),
    [303, 400],
  )
  const page = await browser.open(scene.at('/account/passkeys/new'))
  const full = await submitTo(browser, page, '/passkeys/new', { name: 'One more' })
  assert.equal(full.status, 400)
  assert.match(full.text, /as many as there can be/)
  assert.match(full.text, /value="One more"/)
})

test('turning off two-factor, a new password and a reset say that passkeys stay, and they do', async () => {
  const ann = await scene.colleague()
  const browser = await scene.signedIn(ann)
  const { recoveryCodes } = await scene.enrol(ann.id)
  const off = () => browser.open(scene.at('/account/two-factor/turn-off'))
  assert.doesNotMatch((await off()).text, /Passkeys/)
  const authenticator = await addPasskey(scene, browser)
  assert.match((await off()).text, /Passkeys go on working/)
  assert.match((await browser.open(scene.at('/account/two-factor'))).text, /A passkey needs no code/)
  const proof = { password: PORTAL_PASSWORD, code: recoveryCodes[0] ?? '' }
  await submitTo(browser, await off(), '/turn-off', proof)

  const before = (await mailsTo(scene.url, ann.email)).length
  const asked = new WebClient()
  await asked.send(await asked.open(scene.at('/reset')), { email: ann.email })
  const link = /^https?:\S+$/m.exec((await nextMail(scene.url, ann.email, before + 1)).text)?.[0] ?? ''
  const done = await asked.submit(await asked.open(link), { password: 'another long secret' })
  assert.match(done.text, /The account has a passkey, which goes on working/)
  assert.match((await nextMail(scene.url, ann.email, before + 2)).text, /Your passkeys go on working/)
  assert.ok(!(await isIn(browser)))
  assert.equal((await signInWith(scene, browser, authenticator)).status, 303)
})

test('the account page has the last ten changes, and the others are behind it by pages, however much was done in teams', async () => {
  const ann = await scene.colleague()
  await scene.team('Rota', [[ann, 'owner']])
  const browser = await scene.signedIn(ann)
  assert.match((await browser.open(scene.at('/account'))).text, /Nothing was changed yet/)
  await scene.db`
    insert into audit_log (id, actor_kind, actor_id, actor_name, action, before, after)
    select 'aud_' || lpad(to_hex(n), 32, '0'), 'integrator', ${ann.id}, ${ann.email}, 'account.renamed',
           '{"name": "before"}', jsonb_build_object('name', 'name ' || n || '.')
    from generate_series(1, 61) as n`
  const account = await browser.open(scene.at('/account'))
  assert.match(account.text, /name 61\./)
  assert.match(account.text, /name 52\./)
  assert.doesNotMatch(account.text, /name 51\./)
  assert.doesNotMatch(account.text, /Team created/, 'what happened to a team is in the team’s log')
  const first = await browser.open(scene.at('/account/log'))
  assert.match(first.text, /name 12\./)
  assert.doesNotMatch(first.text, /name 11\./)
  const older = /href="(\/portal\/account\/log\?before=[^"]+)"/.exec(first.text)?.[1] ?? ''
  const second = await browser.open(`${scene.url}${older}`)
  assert.match(second.text, /name 11\..*name 1\./s)
  assert.doesNotMatch(second.text, /Older changes/)

  await scene.db`
    insert into audit_log (id, actor_kind, actor_id, actor_name, team_id, action)
    select 'aud_f' || lpad(to_hex(n), 31, '0'), 'integrator', ${ann.id}, ${ann.email}, 'tem_1', 'team.renamed'
    from generate_series(1, 5000) as n`
  await scene.db`analyze audit_log`
  const plan = await scene.db`
    explain select id from audit_log where actor_id = ${ann.id} and team_id is null order by id desc limit 11`
  const text = plan.map((row) => String(row['QUERY PLAN'])).join('\n')
  assert.match(text, /audit_log_of_account/)
  assert.doesNotMatch(text, /Sort/)
  assert.match((await browser.open(scene.at('/account'))).text, /name 61\./)

  const stranger = await scene.signedIn(await scene.colleague())
  assert.doesNotMatch((await stranger.open(`${scene.url}${older}`)).text, /name \d/)
})
