import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { ApplicationSettings } from '../../src/domain/applications/application-settings.ts'
import { findApplication } from '../../src/domain/applications/application-store.ts'
import { saveSettings } from '../../src/domain/applications/settings-store.ts'
import { auditOf } from '../harness/portal-application.ts'
import { startPortalScene, submitTo } from '../harness/portal-scene.ts'
import { soon } from '../harness/soon.ts'
import { type FormFields, formsOf, type WebAnswer, WebClient } from '../harness/web-client.ts'

const scene = await startPortalScene()
after(scene.service.stop)
const { db, at } = scene

const ann = await scene.colleague()
const browser = await scene.signedIn(ann)

type Place = {
  team: string
  application: string
  page: () => Promise<WebAnswer>
  save: (fields: FormFields) => Promise<WebAnswer>
}

async function place(settings: Parameters<typeof scene.application>[1] = {}): Promise<Place> {
  const team = await scene.team('Rota', [[ann, 'owner']])
  const { application } = await scene.application(team, settings)
  const page = () => browser.open(at(`/teams/${team}/applications/${application}/settings`))
  return { team, application, page, save: async (fields) => submitTo(browser, await page(), '/settings', fields) }
}

async function stored(id: string): Promise<ApplicationSettings> {
  const found = await findApplication(db, id)
  assert.ok(found)
  const { name, logoUrl, redirectUris, webOrigins, implicit, idTokenAlgorithm, strictOidc } = found
  return { name, logoUrl, redirectUris, webOrigins, implicit, idTokenAlgorithm, strictOidc }
}

test('303 and saved: every setting, lists one to a line, blank lines and repeated ones left out', async () => {
  const { application, save, page } = await place()
  const answer = await save({
    name: '  Night   rota ',
    logoUrl: 'https://rota.example/logo.png',
    redirectUris: '\r\n https://rota.example/cb \r\nhttp://localhost:3000/cb\r\n\r\nhttps://rota.example/cb\r\n',
    webOrigins: 'https://rota.example\nhttp://localhost:3000',
    implicit: 'on',
    idTokenAlgorithm: 'EdDSA',
    strictOidc: 'on',
  })
  assert.equal(answer.status, 303, answer.text)
  assert.deepEqual(await stored(application), {
    name: 'Night rota',
    logoUrl: 'https://rota.example/logo.png',
    redirectUris: ['https://rota.example/cb', 'http://localhost:3000/cb'],
    webOrigins: ['https://rota.example', 'http://localhost:3000'],
    implicit: true,
    idTokenAlgorithm: 'EdDSA',
    strictOidc: true,
  })
  assert.match((await browser.follow(answer)).text, /The settings are saved/)
  const shown = formsOf(await page()).find(({ action }) => action.endsWith('/settings'))
  assert.equal(shown?.fields['redirectUris'], 'https://rota.example/cb\nhttp://localhost:3000/cb')
  await save({ implicit: null, strictOidc: null, redirectUris: '', webOrigins: '', logoUrl: '' })
  assert.deepEqual(await stored(application), {
    name: 'Night rota',
    logoUrl: null,
    redirectUris: [],
    webOrigins: [],
    implicit: false,
    idTokenAlgorithm: 'EdDSA',
    strictOidc: false,
  })
})

test('400 at the field with the reason for each line, and nothing that was typed is lost', async () => {
  const { application, save } = await place()
  const before = await stored(application)
  const tries: Array<[FormFields, string, RegExp]> = [
    [{ redirectUris: 'http://rota.example/cb' }, 'redirectUris', /It must begin with https/],
    [{ redirectUris: 'https://rota.example/cb#x' }, 'redirectUris', /Leave out the fragment/],
    [{ redirectUris: 'https://*.rota.example/cb' }, 'redirectUris', /A wildcard is not possible/],
    [{ redirectUris: 'https://a:b@rota.example/cb' }, 'redirectUris', /Leave out the user name/],
    [{ redirectUris: 'com.example.app:/cb' }, 'redirectUris', /It must begin with https/],
    [{ redirectUris: 'javascript:alert(1)' }, 'redirectUris', /It must begin with https/],
    [
      { redirectUris: Array.from({ length: 51 }, (_, n) => `https://a.example/${n}`).join('\n') },
      'redirectUris',
      /At most 50, and these are 51/,
    ],
    [{ webOrigins: 'https://rota.example/path' }, 'webOrigins', /Scheme, host and port only: https:\/\/rota.example/],
    [{ webOrigins: 'http://rota.example' }, 'webOrigins', /It must begin with https/],
    [{ webOrigins: '*' }, 'webOrigins', /It is not an origin/],
    [{ webOrigins: 'null' }, 'webOrigins', /It is not an origin/],
    [{ logoUrl: 'http://rota.example/logo.png' }, 'logoUrl', /begins with https/],
    [{ logoUrl: 'javascript:alert(1)' }, 'logoUrl', /begins with https/],
    [{ name: '' }, 'name', /Give the application a name/],
    [{ name: 'abc\u202egpj' }, 'name', /cannot be shown/],
    [{ idTokenAlgorithm: 'none' }, 'idTokenAlgorithm', /Choose one/],
  ]
  for (const [fields, field, words] of tries) {
    const answer = await save(fields)
    assert.equal(answer.status, 400, JSON.stringify(fields))
    const error = new RegExp(`id="${field}-error">([\\s\\S]*?)</(?:div|p)>`).exec(answer.text)?.[1] ?? ''
    assert.match(error, words)
    assert.ok(answer.text.includes(`<a href="#${field}">`), 'and the page begins with a link to it')
    const form = formsOf(answer).find(({ action }) => action.endsWith('/settings'))
    for (const [name, typed] of Object.entries(fields))
      if (name !== 'idTokenAlgorithm') assert.equal(form?.fields[name], typed)
  }
  assert.deepEqual(await stored(application), before)
  assert.deepEqual(
    (await save({ redirectUris: Array.from({ length: 50 }, (_, n) => `https://a.example/${n}`).join('\n') })).status,
    303,
  )
})

test('a good line among bad ones is not complained of, and none of them is saved', async () => {
  const { application, save } = await place()
  const answer = await save({ redirectUris: 'https://good.example/cb\nhttp://bad.example/cb\nhttps://worse.example/#' })
  const error = /id="redirectUris-error">([\s\S]*?)<\/div>/.exec(answer.text)?.[1] ?? ''
  assert.doesNotMatch(error, /good\.example/)
  assert.match(error, /bad\.example[\s\S]*worse\.example/)
  assert.deepEqual((await stored(application)).redirectUris, [])
})

test('a native application has schemes of its own; one that acts for itself is asked for its name and logo alone', async () => {
  const native = await place({ type: 'native', tokenEndpointAuthentication: 'none' })
  assert.equal((await native.save({ redirectUris: 'com.example.app:/cb' })).status, 303)
  const machine = await place({ type: 'machine', redirectUris: ['https://kept.example/cb'] })
  assert.doesNotMatch((await machine.page()).text, /Redirect URIs/)
  const saved = await machine.save({ name: 'Robot', redirectUris: 'https://planted.example/cb', implicit: 'on' })
  assert.equal(saved.status, 303)
  const { name, redirectUris, implicit } = await stored(machine.application)
  assert.deepEqual(
    { name, redirectUris, implicit },
    { name: 'Robot', redirectUris: ['https://kept.example/cb'], implicit: false },
  )
})

test('what is saved holds at /authorize within a second', async () => {
  const { application, save } = await place({ redirectUris: ['https://old.example/cb'] })
  const authorize = async (redirectUri: string) => {
    const query = new URLSearchParams({ client_id: application, response_type: 'code', redirect_uri: redirectUri })
    return (await new WebClient().get(`${scene.url}/oidc/authorize?${query.toString()}`)).status
  }
  assert.deepEqual([await authorize('https://old.example/cb'), await authorize('https://new.example/cb')], [303, 400])
  await save({ redirectUris: 'https://new.example/cb' })
  assert.ok(await soon(async () => (await authorize('https://new.example/cb')) === 303))
  assert.equal(await authorize('https://old.example/cb'), 400)
})

test('only what changed is written down, before and after; of lists what went and what came', async () => {
  const { team, application, save } = await place({ redirectUris: ['https://a.example/cb', 'https://b.example/cb'] })
  assert.equal((await save({})).status, 303)
  assert.equal((await save({ redirectUris: 'https://b.example/cb\nhttps://a.example/cb' })).status, 303)
  assert.deepEqual(await auditOf(scene, team), [], 'nothing changed')
  await save({ name: 'Night rota', redirectUris: 'https://b.example/cb\nhttps://c.example/cb', implicit: 'on' })
  await save({ logoUrl: 'https://rota.example/logo.png' })
  const named = { application: 'Shift planner' }
  assert.deepEqual(await auditOf(scene, team), [
    {
      action: 'application.changed',
      application_id: application,
      before: { ...named, name: 'Shift planner', redirectUris: 'https://a.example/cb', implicit: false },
      after: { ...named, name: 'Night rota', redirectUris: 'https://c.example/cb', implicit: true },
    },
    {
      action: 'application.changed',
      application_id: application,
      before: { application: 'Night rota', logoUrl: null },
      after: { application: 'Night rota', logoUrl: 'https://rota.example/logo.png' },
    },
  ])
  const log = await browser.open(at(`/teams/${team}/audit`))
  assert.match(log.text, /redirect URIs/)
})

test('409 when somebody saved meanwhile: nothing is overwritten, what was typed is kept, and a second look may save it', async () => {
  const { application, page, save } = await place()
  const mine = await page()
  await save({ redirectUris: 'https://theirs.example/cb' })
  const refused = await submitTo(browser, mine, '/settings', { name: 'Mine', redirectUris: 'https://mine.example/cb' })
  assert.equal(refused.status, 409)
  assert.match(refused.text, /Somebody else saved these settings meanwhile/)
  assert.match(refused.text, /https:\/\/theirs\.example\/cb/)
  assert.deepEqual((await stored(application)).redirectUris, ['https://theirs.example/cb'])
  const kept = formsOf(refused).find(({ action }) => action.endsWith('/settings'))
  assert.deepEqual([kept?.fields['name'], kept?.fields['redirectUris']], ['Mine', 'https://mine.example/cb'])
  assert.equal((await submitTo(browser, refused, '/settings')).status, 303)
  assert.deepEqual((await stored(application)).redirectUris, ['https://mine.example/cb'])
  for (const mark of ['', 'nonsense', null])
    assert.equal((await submitTo(browser, await page(), '/settings', { name: 'Forced', mark })).status, 409)
  assert.equal((await stored(application)).name, 'Mine')
})

test('what support changes is no hindrance, and stays', async () => {
  const { application, page } = await place()
  const mine = await page()
  await db`update applications set client_credentials = true, rate_per_second = 7 where id = ${application}`
  assert.equal((await submitTo(browser, mine, '/settings', { name: 'Mine' })).status, 303)
  const now = await findApplication(db, application)
  assert.deepEqual([now?.name, now?.clientCredentials, now?.ratePerSecond], ['Mine', true, 7])
})

test('of many who save at the same moment one does, and the others hear of it', async () => {
  const { team, application, page } = await place()
  const mark = formsOf(await page()).find(({ action }) => action.endsWith('/settings'))?.fields['mark'] ?? ''
  const doing = { actor: { kind: 'command', id: null, name: 'test' }, requestId: null } as const
  const settings = await stored(application)
  const outcomes = await Promise.all(
    Array.from({ length: 8 }, (_, n) =>
      saveSettings(
        db,
        { teamId: team, applicationId: application, mark, settings: { ...settings, name: `Name ${n}` } },
        doing,
      ),
    ),
  )
  assert.equal(outcomes.filter(({ outcome }) => outcome === 'saved').length, 1)
  assert.equal(outcomes.filter(({ outcome }) => outcome === 'changed-meanwhile').length, 7)
})

test('who only reads sees the settings and no form', async () => {
  const { team, application } = await place({ redirectUris: ['https://a.example/cb'] })
  const reader = await scene.colleague()
  await db`insert into team_members (team_id, integrator_id, role) values (${team}, ${reader.id}, 'read-only')`
  const page = await (await scene.signedIn(reader)).open(at(`/teams/${team}/applications/${application}/settings`))
  assert.match(page.text, /https:\/\/a\.example\/cb/)
  assert.doesNotMatch(page.text, /action="[^"]*\/settings"|\/delete/)
})
