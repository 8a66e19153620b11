import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { giveToTeam } from '../../src/domain/applications/application-team-store.ts'
import { allowScope } from '../../src/domain/consents/consent-store.ts'
import { insertTeam } from '../../src/domain/teams/team-store.ts'
import { newId } from '../../src/platform/ids.ts'
import { addPerson } from '../harness/add-person.ts'
import { browserMissing, openBrowser } from '../harness/browser.ts'
import { startDeliveryScene } from '../harness/delivery-scene.ts'
import { finishedRows } from '../harness/finished-rows.ts'
import { enrol } from '../harness/one-time-codes.ts'
import { assertPageIsSound, PAGE_IS_SOUND, type PageForPeople } from '../harness/sound-page.ts'
import { agentsOf, signInAt } from '../harness/support-scene.ts'

describe('every page of the console about people, deliveries and health', { skip: browserMissing }, async () => {
  const scene = await startDeliveryScene()
  const { db, url, nurse } = scene
  const [ann] = await db<[{ id: string; email: string; name: string }]>`select id, email, name from integrators limit 1`
  const team = newId('tem')
  const doing = { actor: { kind: 'integrator', id: ann.id, name: ann.email }, requestId: null } as const
  await insertTeam(db, { id: team, name: 'Rota Partners', ownerId: ann.id }, doing)
  const application = await scene.integrator({ name: 'Night rota' })
  await giveToTeam(db, team, [application.id])
  await allowScope(db, { userId: nurse.id, applicationId: application.id, audience: 'urn:handover:api' }, [
    'openid',
    'email',
  ])
  await scene.grant(application)
  await enrol(scene.service, nurse.id)
  await db`
    insert into failure_counts values
      (${`sign-in ${nurse.email} from 203.0.113.9`}, 10, now() + interval '5 minutes'),
      (${`sign-in ${nurse.email}`}, 10, now() + interval '5 minutes'),
      (${`code of ${nurse.id}`}, 2, now() + interval '5 minutes')`
  await db`
    insert into sessions (secret_hash, sid, user_id, expires_at, user_agent, address)
    select sha256(n::text::bytea), 'ses_' || n, ${nurse.id}, now() + interval '1 day', 'Firefox/1 Windows', '203.0.113.9'
    from generate_series(1, 2) as n`
  await db`
    insert into audit_log (id, actor_kind, actor_name, action, after)
    values (${newId('aud')}, 'staff', 'sam@example.com', 'person.unlocked',
            ${db.json({ email: nurse.email, account: nurse.id, reason: 'They called.' })})`
  const nobody = await addPerson(db, 'FACILITY_USER')
  const [webhook = '', off = ''] = await scene.webhooks({ application, environment: 'sandbox' }, 'facility', 2)
  await db`update webhooks set disabled_because = 'failing', url = ${`https://${'long.'.repeat(12)}example/hook`} where id = ${off}`
  await db`
    update webhook_schedules set failing_since = now(), consecutive_failures = 12, probe_at = now() + interval '1 hour'
    where webhook_id = ${webhook}`
  await finishedRows(db, 4, { webhookId: webhook })
  await finishedRows(db, 3, { webhookId: off, state: 'failed', because: 'attempts_used_up', attempts: 3 })
  const [delivery = ''] = await finishedRows(db, 1, {
    webhookId: webhook,
    state: 'failed',
    because: 'attempts_used_up',
    attempts: 3,
    body: JSON.stringify({ data: 'x'.repeat(400) }),
    responseBody: '<h1>It broke</h1>'.repeat(20),
    message: 'no answer within 15 s',
  })
  const sam = await agentsOf(db, scene.service.deps)()
  const client = await signInAt(url, sam)
  const cookies = client.cookiesFor(url)
  let browser: Browser
  before(async () => {
    browser = await openBrowser()
  })
  after(async () => {
    await browser.close()
    await scene.stop()
  })

  const user = `/users/${nurse.id}`
  const pages: Record<string, PageForPeople> = {
    person: { title: nurse.name, open: (page) => own(page, user) },
    'person, with nothing': { title: 'Somebody', open: (page) => own(page, `/users/${nobody}`) },
    'an act with a reason': { title: 'Force a new password', open: (page) => own(page, `${user}/reset-password`) },
    'an act without a reason': {
      title: 'End a session',
      open: async (page) => {
        await own(page, `${user}/end-session?session=ses_1`)
        await page.getByRole('button', { name: 'End the session' }).click()
        await page.getByRole('alert').waitFor()
      },
      refused: true,
    },
    integrator: { title: ann.name, open: (page) => own(page, `/integrators/${ann.id}`) },
    deliveries: { title: 'Deliveries', open: (page) => own(page, '/deliveries') },
    'deliveries, none': { title: 'Deliveries', open: (page) => own(page, '/deliveries?state=cancelled') },
    'deliveries, refused': { title: 'Deliveries', open: (page) => own(page, '/deliveries?delivery=x'), refused: true },
    delivery: { title: 'Delivery', open: (page) => own(page, `/deliveries/${delivery}`) },
    'delivery, revealed': {
      title: 'Delivery',
      open: async (page) => {
        await own(page, `/deliveries/${delivery}/reveal`)
        await page.getByLabel('Reason').fill('Ticket 12.')
        await page.getByRole('button', { name: 'Reveal' }).click()
        await page.getByText('The same bytes at every attempt').waitFor()
      },
    },
    webhook: { title: 'Webhook', open: (page) => own(page, `/webhooks/${webhook}`) },
    'webhook, disabled': { title: 'Webhook', open: (page) => own(page, `/webhooks/${off}`) },
    'webhook, to be enabled': { title: 'Enable the webhook', open: (page) => own(page, `/webhooks/${off}/enable`) },
    health: { title: 'Keys and health', open: (page) => own(page, '/health') },
    'rotate, refused': {
      title: 'Rotate the signing keys',
      open: async (page) => {
        await own(page, '/health/rotate-keys')
        await page.getByLabel('Reason').fill('A drill.')
        await page.getByRole('button', { name: 'Rotate the keys' }).click()
        await page.getByRole('alert').waitFor()
      },
      refused: true,
    },
  }

  for (const [name, page] of Object.entries(pages)) {
    test(`${name}: ${PAGE_IS_SOUND}`, () => assertPageIsSound(browser, page))
  }

  async function own(page: Page, path: string): Promise<void> {
    await page.context().addCookies(cookies)
    await page.goto(`${url}/support${path}`)
  }
})
