import assert from 'node:assert/strict'
import { unescapeHtml } from './page-forms.ts'
import { type Colleague, type PortalScene, submitTo } from './portal-scene.ts'
import type { WebAnswer, WebClient } from './web-client.ts'

/** A team of one's own, and its list of applications. */
export type StartedTeam = { ann: Colleague; team: string; browser: WebClient; list: () => Promise<WebAnswer> }

export async function startedTeam(scene: PortalScene): Promise<StartedTeam> {
  const ann = await scene.colleague()
  const team = await scene.team('Rota', [[ann, 'owner']])
  const browser = await scene.signedIn(ann)
  return { ann, team, browser, list: () => browser.open(scene.at(`/teams/${team}/applications`)) }
}

/** So many applications at once, for limits and pages. */
export async function fillTeam({ db }: PortalScene, team: string, howMany: number, deleted = false): Promise<void> {
  await db`
    insert into applications (id, name, type, token_endpoint_authentication, team_id, deleted_at)
    select new_id('app'), 'Filler ' || n, 'web', 'either', ${team}, case when ${deleted} then now() end
    from generate_series(1, ${howMany}) as n`
}

/** What is answered to the three questions, unless a test says otherwise: a web application. */
export const ANSWERS = { name: 'Shift planner', kind: 'website', back_end: 'yes', people: 'yes' }

/** Through the three questions and the page that says what they come to; answers the page that shows the secret. */
export async function createByQuestions(
  { at }: PortalScene,
  browser: WebClient,
  team: string,
  answers: Partial<typeof ANSWERS> = {},
): Promise<WebAnswer> {
  const questions = await browser.open(at(`/teams/${team}/applications/new`))
  const told = await submitTo(browser, questions, '/new', { ...ANSWERS, ...answers })
  assert.equal(told.status, 200, told.text)
  return submitTo(browser, told, '/new', { step: 'create' })
}

/** The value that a page shows beside a label, to be copied. */
export function shownBeside({ text, url }: WebAnswer, label: string): string {
  const found = new RegExp(`<dt>${label}</dt><dd><code[^>]*>([^<]*)</code>`).exec(text)?.[1]
  assert.ok(found !== undefined, `nothing beside ${label} at ${url}: ${text}`)
  return unescapeHtml(found)
}

export async function auditOf(
  { db }: PortalScene,
  team: string,
): Promise<Array<{ action: string; application_id: string | null; before: unknown; after: unknown }>> {
  const rows = await db<Array<{ action: string; application_id: string | null; before: unknown; after: unknown }>>`
    select action, application_id, before, after from audit_log where team_id = ${team} and action <> 'team.created'
    order by id`
  return rows.map(({ action, application_id, before, after }) => ({ action, application_id, before, after }))
}
