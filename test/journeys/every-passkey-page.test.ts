import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { browserMissing, openBrowser } from '../harness/browser.ts'
import { addPasskey } from '../harness/passkey-steps.ts'
import { PORTAL_PASSWORD, startPortalScene } from '../harness/portal-scene.ts'
import { assertPageIsSound, PAGE_IS_SOUND, type PageForPeople } from '../harness/sound-page.ts'
import type { WebClient } from '../harness/web-client.ts'

describe('every page of passkeys and of the account’s log', { skip: browserMissing }, async () => {
  const scene = await startPortalScene()
  const ann = await scene.colleague('Ann Lee')
  const eve = await scene.colleague('Eve Cautious')
  await scene.team('Rota Partners', [[ann, 'owner']])
  const anns = await scene.signedIn(ann)
  await addPasskey(scene, anns, 'W'.repeat(60))
  await addPasskey(scene, anns, 'Blue security key')
  await scene.db`update integrator_passkeys set synced = true, last_used_at = now() where name like 'W%'`
  await scene.db`
    insert into audit_log (id, actor_kind, actor_id, actor_name, action, before, after)
    select 'aud_' || lpad(to_hex(n), 32, '0'), 'integrator', ${ann.id}, ${ann.email}, 'account.renamed',
           '{"name": "Ann"}', '{"name": "Ann Lee"}'
    from generate_series(1, 60) as n`
  const [passkey] = await scene.db<[{ id: string }]>`select id from integrator_passkeys where synced`
  const eves = await scene.signedIn(eve)
  await scene.enrol(eve.id)
  await scene.db`
    update integrator_sessions set auth_time = now() - interval '1 hour' where integrator_id = ${eve.id}`
  let browser: Browser
  before(async () => {
    browser = await openBrowser()
  })
  after(async () => {
    await browser.close()
    await scene.service.stop()
  })

  const pages: Record<string, PageForPeople> = {
    'passkeys, none yet': { title: 'Passkeys', open: (page) => own(page, eves, '/account/passkeys') },
    passkeys: { title: 'Passkeys', open: (page) => own(page, anns, '/account/passkeys?done=passkey-added') },
    passkey: { title: 'Passkey', open: (page) => own(page, anns, `/account/passkeys/${passkey.id}`) },
    'new passkey, by password and code': {
      title: 'Add a passkey',
      open: (page) => own(page, eves, '/account/passkeys/new'),
    },
    'new passkey, refused': {
      title: 'Add a passkey',
      open: async (page) => {
        await own(page, eves, '/account/passkeys/new')
        await page.getByLabel('Name').fill('')
        await page.getByLabel('Password').fill(PORTAL_PASSWORD)
        await page.getByRole('button', { name: 'Continue' }).click()
        await page.locator('#name-error').waitFor()
      },
      refused: true,
    },
    'new passkey, not made': {
      title: 'Add a passkey',
      open: async (page) => {
        await own(page, anns, '/account/passkeys/new')
        await page.getByRole('button', { name: 'Continue' }).click()
        // There is no authenticator here that could make one.
        await page.getByRole('heading', { name: 'Make' }).waitFor()
        await page.evaluate("document.querySelector('[data-fault]').hidden = false")
      },
    },
    'changes to the account': { title: 'Changes to your account', open: (page) => own(page, anns, '/account/log') },
  }

  for (const [name, page] of Object.entries(pages)) {
    test(`${name}: ${PAGE_IS_SOUND}`, () => assertPageIsSound(browser, page))
  }

  async function own(page: Page, client: WebClient, path: string): Promise<void> {
    await page.context().addCookies(client.cookiesFor(scene.url))
    await page.goto(scene.at(path))
  }
})
