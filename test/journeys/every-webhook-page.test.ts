import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { browserMissing, openBrowser } from '../harness/browser.ts'
import { finishedRows } from '../harness/finished-rows.ts'
import { assertPageIsSound, PAGE_IS_SOUND, type PageForPeople } from '../harness/sound-page.ts'
import { fillWebhook } from '../harness/webhook-rows.ts'
import { startWebhookScene } from '../harness/webhook-scene.ts'

describe('every page of webhooks and deliveries', { skip: browserMissing }, async () => {
  const scene = await startWebhookScene()
  const { facilities } = scene
  const reader = await scene.colleague('Eve Reader')
  await scene.db`
    insert into team_members (team_id, integrator_id, role) values (${scene.teamId}, ${reader.id}, 'read-only')`
  const { id, failed, pending } = await fillWebhook(scene)
  const sick = await scene.webhook({ url: `https://partner.example/${'long-path-segment/'.repeat(12)}` })
  await scene.db`update webhooks set disabled_because = 'failing' where id = ${sick}`
  await finishedRows(scene.db, 30, {
    webhookId: sick,
    state: 'failed',
    because: 'attempts_used_up',
    facilityId: facilities[0],
  })
  // The longest that a state is called.
  await scene.db`update webhooks set disabled_because = 'gone' where id = ${await scene.webhook({})}`
  const fresh = await scene.webhook({ userId: await scene.person() })
  const cookies = {
    anns: scene.browser.cookiesFor(scene.url),
    eves: (await scene.signedIn(reader)).cookiesFor(scene.url),
  }
  let browser: Browser
  before(async () => {
    browser = await openBrowser()
  })
  after(async () => {
    await browser.close()
    await scene.stop()
  })

  const name = 'Shift planner'
  const range = 'from=2026-01-01T00:00&to=2099-01-01T00:00&states.failed=on'
  const pages: Record<string, PageForPeople> = {
    webhooks: { title: `Webhooks · ${name}`, open: (page) => own(page, '') },
    'webhooks, none in production': {
      title: `Webhooks · ${name}`,
      open: (page) => own(page, '', cookies.anns, 'production'),
    },
    'a new one': { title: `Create a webhook · ${name}`, open: (page) => own(page, '/new') },
    'a new one, refused': {
      title: `Create a webhook · ${name}`,
      open: async (page) => {
        await own(page, '/new')
        await page.getByLabel('URL').fill('http://nowhere')
        await page.getByLabel('Every event').uncheck()
        for (const box of await page.getByRole('group', { name: 'Facilities' }).getByRole('checkbox').all())
          await box.uncheck()
        await page.getByRole('button', { name: 'Create the webhook' }).click()
        await page.getByRole('alert').waitFor()
      },
      refused: true,
    },
    'one with a busy day': { title: `Webhook · ${name}`, open: (page) => own(page, `/${id}`) },
    'one that failed, as a reader': { title: `Webhook · ${name}`, open: (page) => own(page, `/${sick}`, cookies.eves) },
    'one that was never called': { title: `Webhook · ${name}`, open: (page) => own(page, `/${fresh}`) },
    'secrets, in the midst of a rotation': {
      title: `Webhook · ${name}`,
      open: async (page) => {
        await own(page, `/${id}`)
        const add = page.getByRole('button', { name: 'Add a new secret' })
        if ((await add.count()) > 0) await add.click()
        await page.getByRole('button', { name: 'Reveal the secrets' }).click()
        await page.getByText('whsec_').first().waitFor()
      },
    },
    edit: { title: `Edit a webhook · ${name}`, open: (page) => own(page, `/${id}/edit`) },
    'enable it': { title: `Enable a webhook · ${name}`, open: (page) => own(page, `/${sick}/enable`) },
    'delete it': { title: `Delete a webhook · ${name}`, open: (page) => own(page, `/${id}/delete`) },
    'test event': { title: `Test event · ${name}`, open: (page) => own(page, `/${id}/test`) },
    'test event, refused': {
      title: `Test event · ${name}`,
      open: async (page) => {
        await own(page, `/${id}/test`)
        await page.getByRole('textbox').fill('{ "shiftId": ')
        await page.getByRole('button', { name: 'Send shift.created' }).click()
        await page.getByRole('alert').waitFor()
      },
      refused: true,
    },
    deliveries: { title: `Deliveries · ${name}`, open: (page) => own(page, `/${id}/deliveries`) },
    'deliveries, none fits': {
      title: `Deliveries · ${name}`,
      open: (page) => own(page, `/${id}/deliveries?state=cancelled&subject=fac_none`),
    },
    'a delivery that failed': { title: `Delivery · ${name}`, open: (page) => own(page, `/${id}/deliveries/${failed}`) },
    'a delivery that waits': { title: `Delivery · ${name}`, open: (page) => own(page, `/${id}/deliveries/${pending}`) },
    replays: { title: `Replays · ${name}`, open: (page) => own(page, `/${id}/replays`) },
    'replays, none': { title: `Replays · ${name}`, open: (page) => own(page, `/${fresh}/replays`) },
    'a new replay, counted': {
      title: `Replay deliveries · ${name}`,
      open: (page) => own(page, `/${id}/replays/new?${range}`),
    },
    'a new replay, refused': {
      title: `Replay deliveries · ${name}`,
      open: (page) => own(page, `/${id}/replays/new?from=&to=`),
      refused: true,
    },
  }

  for (const [what, page] of Object.entries(pages)) {
    test(`${what}: ${PAGE_IS_SOUND}`, () => assertPageIsSound(browser, page))
  }

  async function own(
    page: Page,
    path: string,
    whose = cookies.anns,
    environment: 'sandbox' | 'production' = 'sandbox',
  ): Promise<void> {
    await page.context().addCookies(whose)
    await page.goto(scene.page(path, environment))
  }
})
