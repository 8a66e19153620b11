import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertPageHeaders } from '../harness/page-headers.ts'
import { startPortalScene, submitTo } from '../harness/portal-scene.ts'
import { WebClient } from '../harness/web-client.ts'

const scene = await startPortalScene()
after(scene.service.stop)

const HOSTILE = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='alert(1)",
  '</title><svg onload=alert(1)>',
  '{{7*7}}${7*7}',
]

for (const words of HOSTILE) {
  test(`inert wherever it is shown: ${words}`, async () => {
    const ann = await scene.colleague(words)
    const bob = await scene.colleague(words)
    const team = await scene.team(words, [
      [ann, 'owner'],
      [bob, 'developer'],
    ])
    await scene.db`
      insert into audit_log (id, actor_kind, actor_name, team_id, action, before, after, request_id)
      values ('aud_' || lpad(to_hex((random() * 1e9)::int), 32, 'f'), 'staff', ${words}, ${team}, 'team.renamed',
              ${scene.db.json({ [words]: words })}, ${scene.db.json({ name: words })}, ${words})`
    await scene.db`
      insert into team_invitations (id, team_id, email, email_folded, role, secret_hash, invited_by, expires_at)
      values (${`tin_${words}`}, ${team}, ${words}, ${words}, 'owner', sha256(${`s${words}`}::text::bytea), ${ann.id}, now() + interval '1 day')`
    const browser = await scene.signedIn(ann)
    await scene.db`
      update integrator_sessions set user_agent = ${words}, address = ${words} where integrator_id = ${ann.id}`
    const paths = [
      `/teams/${team}`,
      `/teams/${team}/name`,
      `/teams/${team}/leave`,
      `/teams/${team}/members/${bob.id}`,
      `/teams/${team}/audit`,
      '/teams/new',
      '/account',
      '/account/password',
      '/account/two-factor/set-up',
    ]
    for (const path of paths) {
      const page = await browser.get(scene.at(path))
      assert.equal(page.status, 200, path)
      assertPageHeaders(page)
      assertInert(page.text, path)
    }
    const typed = await submitTo(browser, await browser.open(scene.at(`/teams/${team}`)), '/invitations', {
      email: words,
    })
    assertInert(typed.text, 'typed into an invitation')
    const entry = new WebClient()
    for (const path of ['/sign-in', '/sign-up', '/reset']) {
      const page = await entry.open(scene.at(path))
      const answer = await entry.submit(page, { name: words, email: words, password: words })
      assertPageHeaders(answer)
      assertInert(answer.text, path)
    }
    const query = encodeURIComponent(words)
    for (const path of [`/join?invitation=${query}`, `/sign-in?invitation=${query}`, `/teams/${team}?done=${query}`])
      assertInert((await browser.open(scene.at(path))).text, path)
  })
}

/** No markup of theirs, and no quote of theirs that could end an attribute. The only script is ours, and it stands in the head. */
function assertInert(text: string, where: string): void {
  assert.doesNotMatch(text, /<script(?! src="\/public\/site\.js" defer><\/script>)|<img|<svg (?!class="qr")/, where)
  for (const words of HOSTILE.filter((each) => /[<>"']/.test(each))) assert.ok(!text.includes(words), where)
}

test('400: names that change direction or cannot be shown are refused, for people and teams', async () => {
  const ann = await scene.colleague()
  const team = await scene.team('Rota', [[ann, 'owner']])
  const browser = await scene.signedIn(ann)
  for (const name of ['abc\u202egpj.exe', 'a\u2066b', 'line\nbreak', '\u200fx', 'x'.repeat(101)]) {
    const rename = await browser.open(scene.at(`/teams/${team}/name`))
    assert.equal((await submitTo(browser, rename, '/name', { name })).status, 400)
    const account = await browser.open(scene.at('/account'))
    assert.equal((await submitTo(browser, account, '/account/name', { name })).status, 400)
    assert.equal((await submitTo(browser, await browser.open(scene.at('/teams/new')), '/new', { name })).status, 400)
  }
})
