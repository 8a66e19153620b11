import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { insertApplicationSecret } from '../../src/domain/applications/application-store.ts'
import { newId } from '../../src/platform/ids.ts'
import { assertPageHeaders } from '../harness/page-headers.ts'
import { submitTo } from '../harness/portal-scene.ts'
import { startSupportScene } from '../harness/support-scene.ts'
import { WebClient } from '../harness/web-client.ts'

const scene = await startSupportScene()
after(scene.service.stop)
const { db, desk } = scene

const HOSTILE = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='alert(1)",
  '</title><svg onload=alert(1)>',
  '</textarea><script>alert(1)</script>',
  'javascript:alert(1)//\u202e"<b>',
]

for (const words of HOSTILE) {
  test(`inert wherever staff see it: ${words}`, async () => {
    const ann = await scene.colleague(words)
    const team = await scene.team(words, [[ann, 'owner']])
    const id = await scene.applicationCalled(words, team, { redirectUris: [words], postLogoutRedirectUris: [words] })
    await insertApplicationSecret(db, id, words, `s ${words}`)
    const wanted = { postLogoutRedirectUris: [words, 'https://other.example'] }
    const asked = { teamId: team, applicationId: id, setting: 'post-logout-uris' as const, wanted, reason: words }
    const request = await scene.ask(ann, asked)
    const answered = await scene.ask(ann, { ...asked, setting: 'first-party', wanted: { firstParty: true } })
    await db`
      update support_requests set state = 'denied', answer = ${words}, answered_by = ${words}, answered_at = now()
      where id = ${answered}`
    await db`
      insert into audit_log (id, actor_kind, actor_name, team_id, application_id, action, before, after, request_id)
      values (${newId('aud')}, 'staff', ${words}, ${team}, ${id}, 'team.renamed', ${db.json({ [words]: words })},
              ${db.json({ name: words })}, ${words})`
    await db`
      insert into request_log (day, id, at, request_id, application_id, method, path, operation, status, error, reason, facts,
                               duration_ms, network, left_out)
      values (current_date, ${newId('rql')}, now(), ${words}, ${id}, 'GET', ${words}, ${words}, 400, ${words}, ${words},
              ${db.json({ uri: words })}, 1, ${words}, 0)`
    const sam = await scene.agent(words)
    const browser = await scene.atDesk(sam)
    await db`update staff_sessions set user_agent = ${words}, address = ${words} where staff_id = ${sam.id}`
    const query = encodeURIComponent(words)
    const paths = [
      '',
      '?state=denied',
      `/requests/${request}`,
      `/applications/${id}`,
      `/applications/${id}/settings/post-logout-uris`,
      `/teams/${team}`,
      `/find?q=${query}`,
      `/find?q=${encodeURIComponent(words.slice(0, 4))}`,
      '/audit',
      `/audit?actor=${query}&team=${query}&application=${query}&request=${query}&action=${query}`,
      '/account',
      `/account?done=${query}`,
    ]
    for (const path of paths) {
      const page = await browser.get(desk(path))
      assert.equal(page.status, 200, path)
      assertPageHeaders(page)
      assertInert(page.text, path)
    }
    assertInert((await browser.get(desk(`/audit?from=${query}&to=${query}`))).text, 'days')
    const setting = await browser.open(desk(`/applications/${id}/settings/post-logout-uris`))
    const typed = { postLogoutRedirectUris: words, reason: words }
    assertInert((await submitTo(browser, setting, '/preview', typed)).text, 'typed into a setting')
    const page = await browser.open(desk(`/applications/${id}`))
    await scene.age(sam, 11)
    assertInert((await submitTo(browser, page, '/suspend', { reason: words })).text, 'kept while confirming')
    const note = await browser.open(desk(`/requests/${request}`))
    assertInert((await submitTo(browser, note, '/approve', { note: `${words}\u202e` })).text, 'typed into a note')
    const entry = new WebClient()
    const signIn = await entry.submit(await entry.open(desk('/sign-in')), { email: words, password: words })
    assertInert(signIn.text, 'typed at sign-in')
    assertInert((await entry.open(desk(`/password?secret=${query}`))).text, 'a link')
  })
}

/** No markup of theirs, no quote of theirs that could end an attribute, and no address of theirs that runs. */
function assertInert(text: string, where: string): void {
  assert.doesNotMatch(
    text,
    /<script(?! src="\/public\/site\.js" defer)|<img|<svg (?!class="qr")|href="javascript:/,
    where,
  )
  for (const words of HOSTILE.filter((each) => /[<>"']/.test(each))) assert.ok(!text.includes(words), where)
}

test('a form with names of its own making keeps them as text while it is confirmed', async () => {
  const ann = await scene.colleague()
  const team = await scene.team('Rota', [[ann, 'owner']])
  const id = await scene.applicationCalled('Odd', team)
  const sam = await scene.agent()
  const browser = await scene.atDesk(sam)
  const page = await browser.open(desk(`/applications/${id}`))
  await scene.age(sam, 11)
  const odd = { reason: 'x', '"><script>alert(1)</script>': 'y', __proto__x: 'z' }
  const asked = await submitTo(browser, page, '/suspend', odd)
  assert.equal(asked.status, 200)
  assertInert(asked.text, 'names of fields')
})
