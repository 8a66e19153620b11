import assert from 'node:assert/strict'
import type { Db } from '../../src/platform/db.ts'
import { submitTo } from './portal-scene.ts'
import { STAFF_PASSWORD } from './support-scene.ts'
import type { FormFields, WebAnswer, WebClient } from './web-client.ts'

/** Does what a page asks for a reason for: opens it, and sends its form. */
export async function actWithReason(
  browser: WebClient,
  address: string,
  fields: FormFields = { reason: 'They called us.' },
): Promise<WebAnswer> {
  const page = await browser.open(address)
  assert.equal(page.status, 200, page.text)
  return submitTo(browser, page, new URL(address).pathname, fields)
}

/** The page that asks again who it is, filled in. */
export async function confirmAgain(browser: WebClient, page: WebAnswer, code: string): Promise<WebAnswer> {
  assert.match(page.text, /Confirm that it is you/)
  return submitTo(browser, page, new URL(page.url).pathname, { confirm_password: STAFF_PASSWORD, confirm_code: code })
}

export type NotedAct = {
  action: string
  actor_kind: string
  team_id: string | null
  after: Record<string, unknown>
  request_id: string | null
}

/** What the log says that staff did to an account, the newest first. */
export async function actsOn(db: Db, accountId: string): Promise<NotedAct[]> {
  return db<NotedAct[]>`
    select action, actor_kind, team_id, after, request_id from audit_log
    where after ->> 'account' = ${accountId} order by id desc`
}
