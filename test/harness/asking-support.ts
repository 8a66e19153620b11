import assert from 'node:assert/strict'
import type { Application } from '../../src/domain/applications/application.ts'
import type { Doing } from '../../src/domain/audit/audit.ts'
import { requestsOfApplication } from '../../src/domain/support-requests/request-list-store.ts'
import type { SupportRequest } from '../../src/domain/support-requests/support-request.ts'
import { type PortalScene, submitTo } from './portal-scene.ts'
import type { WebAnswer } from './web-client.ts'

/** Somebody of support who answers. */
export const STAFF: Doing = { actor: { kind: 'staff', id: 'stf_1', name: 'Sam' }, requestId: 'req_1' }

/** A team with an application, and its owner at the page where support is asked. */
export async function startAsking(scene: PortalScene, settings: Partial<Application> = {}) {
  const ann = await scene.colleague()
  const bob = await scene.colleague('Bob')
  const team = await scene.team('Rota', [
    [ann, 'owner'],
    [bob, 'read-only'],
  ])
  const { application, clientSecret } = await scene.application(team, { type: 'machine', ...settings })
  const browser = await scene.signedIn(ann)
  const at = scene.at(`/teams/${team}/applications/${application}/support`)
  const page = (query = '') => browser.open(at + query)
  const ask = async (setting: string, fields: Record<string, string | null>): Promise<WebAnswer> =>
    submitTo(browser, await page(`?setting=${setting}`), '/support', fields)
  const onlyRequest = async (): Promise<SupportRequest> => {
    const { requests } = await requestsOfApplication(scene.db, application, { before: null, limit: 10 })
    assert.equal(requests.length, 1)
    return requests[0] ?? assert.fail()
  }
  /** What the log has of it, the oldest first. */
  const written = async () => {
    const rows = await scene.db<
      Array<{ action: string; actor_kind: string; before: object | null; after: object | null }>
    >`
      select action, actor_kind, before, after from audit_log
      where application_id = ${application} and action like 'support.%' order by id`
    return rows.map((row) => ({ ...row }))
  }
  return { ann, bob, team, application, clientSecret, browser, at, page, ask, onlyRequest, written }
}
