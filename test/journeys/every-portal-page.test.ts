import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { browserMissing, openBrowser } from '../harness/browser.ts'
import { linkIn, nextMail } from '../harness/demo-mail.ts'
import { newAddress, PORTAL_PASSWORD, startPortalScene, submitTo } from '../harness/portal-scene.ts'
import { assertPageIsSound, PAGE_IS_SOUND, type PageForPeople } from '../harness/sound-page.ts'

describe('every page of the portal', { skip: browserMissing }, async () => {
  const scene = await startPortalScene()
  const ann = await scene.colleague('Ann Lee')
  const bob = await scene.colleague('Roberto Fernández de la Cruz y Santamaría'.repeat(2))
  const cautious = await scene.colleague('Eve Cautious')
  const alone = await scene.colleague('Dana Alone')
  const team = await scene.team('Rota Partners', [
    [ann, 'owner'],
    [bob, 'developer'],
    [cautious, 'read-only'],
  ])
  await scene.team(`Night ${'shift'.repeat(10)}`, [[ann, 'owner']])
  const { recoveryCodes } = await scene.enrol(cautious.id)
  const anns = await scene.signedIn(ann)
  const teamPage = await anns.open(scene.at(`/teams/${team}`))
  const invited = newAddress()
  await submitTo(anns, teamPage, '/invitations', { email: invited, role: 'developer' })
  await submitTo(anns, teamPage, '/invitations', { email: newAddress(), role: 'read-only' })
  const link = linkIn(await nextMail(scene.url, invited))
  await scene.db`update team_invitations set expires_at = now() where email <> ${invited}`
  await scene.db`
    insert into audit_log (id, actor_kind, actor_name, team_id, action, before, after)
    select 'aud_' || lpad(to_hex(n), 32, '0'), 'staff', 'support', ${team}, 'member.role-changed',
           '{"email": "x@example.com", "role": "owner"}', '{"email": "x@example.com", "role": "developer"}'
    from generate_series(1, 60) as n`
  const cookies = {
    anns: anns.cookiesFor(scene.url),
    alones: (await scene.signedIn(alone)).cookiesFor(scene.url),
    eves: await eves(),
  }
  let browser: Browser
  before(async () => {
    browser = await openBrowser()
  })
  after(async () => {
    await browser.close()
    await scene.service.stop()
  })

  const at = `/teams/${team}`
  const pages: Record<string, PageForPeople> = {
    'sign in': { title: 'Sign in', open: (page) => page.goto(scene.at('/sign-in')) },
    'sign in, refused': { title: 'Sign in', open: (page) => signIn(page, ann.email, 'wrong'), refused: true },
    'one-time code': { title: 'Enter your code', open: (page) => signIn(page, cautious.email, PORTAL_PASSWORD) },
    'recovery code': {
      title: 'Use a recovery code',
      open: async (page) => {
        await signIn(page, cautious.email, PORTAL_PASSWORD)
        await page.getByRole('link', { name: 'Use a recovery code' }).click()
      },
    },
    'sign up': { title: 'Create an account', open: (page) => page.goto(scene.at('/sign-up')) },
    'sign up, refused': {
      title: 'Create an account',
      open: async (page) => {
        await page.goto(scene.at('/sign-up'))
        await page.getByRole('button', { name: 'Continue' }).click()
        await page.getByRole('alert').waitFor()
      },
      refused: true,
    },
    'sign up, code sent': {
      title: 'Check your mail',
      open: async (page) => {
        await page.goto(scene.at('/sign-up'))
        await page.getByLabel('Name', { exact: true }).fill('New Comer')
        await page.getByLabel('E-mail').fill(newAddress())
        await page.getByLabel('Password').fill(PORTAL_PASSWORD)
        await page.getByRole('button', { name: 'Continue' }).click()
        await page.getByLabel('Code').waitFor()
      },
    },
    'forgotten password': { title: 'Forgotten password', open: (page) => page.goto(scene.at('/reset')) },
    'forgotten password, link sent': { title: 'Check your mail', open: (page) => askForLink(page, newAddress()) },
    'new password': {
      title: 'New password',
      open: async (page) => {
        await askForLink(page, bob.email)
        await page.goto(linkIn(await nextMail(scene.url, bob.email)))
      },
    },
    'dead link': {
      title: 'This link no longer works',
      open: (page) => page.goto(scene.at('/reset/password?secret=x')),
      refused: true,
    },
    'join, signed out': { title: 'Join a team', open: (page) => page.goto(link) },
    'join, somebody else': { title: 'Join a team', open: (page) => own(page, link.slice(scene.at('').length)) },
    'join, dead link': {
      title: 'This invitation no longer works',
      open: (page) => page.goto(scene.at('/join')),
      refused: true,
    },
    team: { title: 'Rota Partners', open: (page) => own(page, at) },
    'team, as a reader': { title: 'Rota Partners', open: (page) => own(page, at, cookies.eves) },
    'team, switch open': {
      title: 'Rota Partners',
      open: async (page) => {
        await own(page, at)
        await page.locator('summary').click()
      },
    },
    'team, invitation refused': {
      title: 'Rota Partners',
      open: async (page) => {
        await own(page, at)
        await page.getByRole('button', { name: 'Send the invitation' }).click()
        await page.getByRole('alert').waitFor()
      },
      refused: true,
    },
    'no team': { title: 'Create a team', open: (page) => own(page, '', cookies.alones) },
    member: { title: bob.name, open: (page) => own(page, `${at}/members/${bob.id}`) },
    'rename the team': { title: 'Rename the team', open: (page) => own(page, `${at}/name`) },
    'leave the team': { title: 'Leave the team', open: (page) => own(page, `${at}/leave`) },
    'audit log': { title: 'Audit log', open: (page) => own(page, `${at}/audit`) },
    'audit log, empty': { title: 'Audit log', open: (page) => own(page, `${at}/audit?action=member.left`) },
    account: { title: 'Your account', open: (page) => own(page, '/account') },
    password: { title: 'Change your password', open: (page) => own(page, '/account/password') },
    'two-factor, set up': { title: 'Turn on two-factor sign-in', open: (page) => own(page, '/account/two-factor') },
    'two-factor, on': {
      title: 'Two-factor sign-in',
      open: (page) => own(page, '/account/two-factor', cookies.eves),
    },
    'two-factor, turn off': {
      title: 'Turn off two-factor sign-in',
      open: (page) => own(page, '/account/two-factor/turn-off', cookies.eves),
    },
    'recovery codes, shown once': {
      title: 'Your recovery codes',
      open: async (page) => {
        await own(page, '/account/two-factor/recovery-codes', cookies.eves)
        await page.getByLabel('Password').fill(PORTAL_PASSWORD)
        await page.getByLabel('Code from your app, or a recovery code').fill(recoveryCodes[1] ?? '')
        await page.getByRole('button', { name: 'Make new codes' }).click()
        await page.waitForFunction("document.title.startsWith('Your recovery codes')")
      },
    },
    'a role that may not': {
      title: 'Your role does not allow this',
      open: (page) => own(page, `${at}/name`, cookies.eves),
      refused: true,
    },
  }

  for (const [name, page] of Object.entries(pages)) {
    test(`${name}: ${PAGE_IS_SOUND}`, () => assertPageIsSound(browser, page))
  }

  async function own(page: Page, path: string, whose = cookies.anns): Promise<void> {
    await page.context().addCookies(whose)
    await page.goto(scene.at(path))
  }

  /** Signed in with a recovery code, which unlike the app's works at any moment. */
  async function eves() {
    const client = await scene.signedIn(cautious)
    const page = await client.open(scene.at('/code?with=recovery'))
    await client.submit(page, { recovery_code: recoveryCodes[0] ?? '' })
    return client.cookiesFor(scene.url)
  }

  async function signIn(page: Page, email: string, password: string): Promise<void> {
    await page.goto(scene.at('/sign-in'))
    await page.getByLabel('E-mail').fill(email)
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  }

  async function askForLink(page: Page, email: string): Promise<void> {
    await page.goto(scene.at('/reset'))
    await page.getByLabel('E-mail').fill(email)
    await page.getByRole('button', { name: 'Send the link' }).click()
    await page.getByText('Check your mail').first().waitFor()
  }
})
