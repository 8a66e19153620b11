import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import type { KeptRequest } from '../../src/domain/requests/logged-request.ts'
import { writeRequests } from '../../src/domain/requests/request-log-store.ts'
import { browserMissing, openBrowser } from '../harness/browser.ts'
import { startPortalScene } from '../harness/portal-scene.ts'
import { keptRequest } from '../harness/request-rows.ts'
import { assertPageIsSound, PAGE_IS_SOUND, type PageForPeople } from '../harness/sound-page.ts'

describe('every page of the request log', { skip: browserMissing }, async () => {
  const scene = await startPortalScene()
  const ann = await scene.colleague('Ann Lee')
  const team = await scene.team('Rota Partners', [[ann, 'owner']])
  const quiet = await scene.team('Quiet', [[ann, 'owner']])
  const callback = `https://rota.example/${'very-long-path/'.repeat(20)}callback`
  const { application } = await scene.application(team, { name: 'Rota planner'.repeat(4), redirectUris: [callback] })
  await writeRequests(scene.db, [
    request({}),
    request({ environment: 'production', status: 302, operation: 'code', path: '/oidc/authorize' }),
    refused('invalid_request', 'redirect_uri is not registered.', { redirect_uri: `${callback}/` }),
    refused('invalid_request', 'redirect_uri is not registered.', { redirect_uri: 'https://elsewhere.test/' }),
    refused('invalid_client', 'The secret is none of the application’s live ones.'),
    refused('unauthorized_client', "Grant type 'password' is not allowed for the client.", {}, 10_000),
    refused('wrong_fields', `/${'field'.repeat(50)}: is not a field of this operation.`),
    ...Array.from({ length: 50 }, () => request({})),
  ])
  const client = await scene.signedIn(ann)
  const cookies = client.cookiesFor(scene.url)
  let browser: Browser
  before(async () => {
    browser = await openBrowser()
  })
  after(async () => {
    await browser.close()
    await scene.service.stop()
  })

  const at = `/teams/${team}/requests`
  const pages: Record<string, PageForPeople> = {
    requests: { title: 'Requests', open: (page) => own(page, at) },
    'requests, only what was refused': { title: 'Requests', open: (page) => own(page, `${at}?show=refused`) },
    'requests, nothing like that': { title: 'Requests', open: (page) => own(page, `${at}?request=req_unheard_of`) },
    'requests, none yet': { title: 'Requests', open: (page) => own(page, `/teams/${quiet}/requests`) },
  }

  for (const [name, page] of Object.entries(pages)) {
    test(`${name}: ${PAGE_IS_SOUND}`, () => assertPageIsSound(browser, page))
  }

  async function own(page: Page, path: string): Promise<void> {
    await page.context().addCookies(cookies)
    await page.goto(scene.at(path))
  }

  function request(more: Partial<KeptRequest>): KeptRequest {
    return keptRequest({ applicationId: application, ...more })
  }

  function refused(error: string, reason: string, facts = {}, leftOut = 0): KeptRequest {
    return request({ status: 400, refusal: { error, reason, facts }, leftOut })
  }
})
