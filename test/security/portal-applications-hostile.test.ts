import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertPageHeaders } from '../harness/page-headers.ts'
import { ANSWERS } from '../harness/portal-application.ts'
import { startPortalScene, submitTo } from '../harness/portal-scene.ts'

const scene = await startPortalScene()
after(scene.service.stop)
const { db, at } = scene

const HOSTILE = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='alert(1)",
  '</title><svg onload=alert(1)>',
  '</textarea><script>alert(1)</script>',
  '{{7*7}}${7*7}',
]

function assertInert(text: string, where: string): void {
  assert.doesNotMatch(text, /<script(?! src="\/public\/)|<img|<svg (?!class=)/, where)
  for (const words of HOSTILE.filter((each) => /[<>"']/.test(each))) assert.ok(!text.includes(words), where)
}

for (const words of HOSTILE) {
  test(`inert wherever it is shown or typed: ${words}`, async () => {
    const ann = await scene.colleague()
    const team = await scene.team('Rota', [[ann, 'owner']])
    const browser = await scene.signedIn(ann)
    const { application, secret } = await scene.application(team, {
      name: words,
      logoUrl: words,
      redirectUris: [words],
      webOrigins: [words],
    })
    await db`update application_secrets set name = ${words} where id = ${secret}`
    const { application: gone } = await scene.application(team, { name: words })
    await db`update applications set deleted_at = now() where id = ${gone}`
    await db`insert into facilities (environment, id, name) values ('sandbox', ${`fac_${words}`}, ${words})`
    await db`
      insert into facility_connections (environment, facility_id, application_id)
      values ('sandbox', ${`fac_${words}`}, ${application})`
    const own = `/teams/${team}/applications/${application}`
    const paths = [
      `/teams/${team}/applications`,
      own,
      `${own}/settings`,
      `${own}/secrets`,
      `${own}/secrets/${secret}/revoke`,
      `${own}/delete`,
    ]
    for (const path of paths) {
      const page = await browser.get(at(path))
      assert.equal(page.status, 200, path)
      assertPageHeaders(page)
      assertInert(page.text, path)
    }
    const settings = await browser.open(at(`${own}/settings`))
    const fields = { name: words, logoUrl: words, redirectUris: words, webOrigins: words, idTokenAlgorithm: words }
    assertInert((await submitTo(browser, settings, '/settings', fields)).text, 'typed into the settings')
    const secrets = await browser.open(at(`${own}/secrets`))
    const made = await submitTo(browser, secrets, '/secrets', { name: words })
    assert.equal(made.status, 200)
    assertInert(made.text, 'a secret')
    assertInert(
      (await submitTo(browser, await browser.open(at(`${own}/delete`)), '/delete', { name: `${words}!` })).text,
      'typed to delete',
    )
    const questions = await browser.open(at(`/teams/${team}/applications/new`))
    const told = await submitTo(browser, questions, '/new', { ...ANSWERS, name: words })
    assertInert(told.text, 'told back')
    assertInert((await submitTo(browser, told, '/new', { step: 'create' })).text, 'created')
    assertInert((await submitTo(browser, questions, '/new', { ...ANSWERS, name: words, kind: words })).text, 'refused')
    assertInert((await browser.open(at(`/teams/${team}/audit`))).text, 'the log')
  })
}

test('413 for a form that is too large, and odd ids in the address are simply not there', async () => {
  const ann = await scene.colleague()
  const team = await scene.team('Rota', [[ann, 'owner']])
  const browser = await scene.signedIn(ann)
  const { application } = await scene.application(team)
  const page = await browser.open(at(`/teams/${team}/applications/${application}/settings`))
  assert.equal((await submitTo(browser, page, '/settings', { redirectUris: 'x'.repeat(70_000) })).status, 413)
  assert.equal((await submitTo(browser, page, '/settings', { redirectUris: 'x\n'.repeat(10_000) })).status, 400)
  for (const id of ['%00', "'", '..%2f..', 'x'.repeat(300), application.toUpperCase(), `${application}%20`])
    assert.ok([400, 404].includes((await browser.get(at(`/teams/${team}/applications/${id}`))).status), id)
})
