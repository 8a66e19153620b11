import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { newId } from '../../src/platform/ids.ts'
import { csvLine } from '../../src/support/audit/export-lines.ts'
import { submitTo } from '../harness/portal-scene.ts'
import { startSupportScene } from '../harness/support-scene.ts'

const scene = await startSupportScene()
after(scene.service.stop)
const { db, desk } = scene

const ann = await scene.colleague('Ann Lee')
const team = await scene.team('Rota Partners', [[ann, 'owner']])
const sam = await scene.agent()
const browser = await scene.atDesk(sam)

/** As it was written at that time. */
async function wrote(
  at: string,
  action: string,
  more: { actor?: string; application?: string; request?: string } = {},
) {
  const milliseconds = new Date(at).getTime().toString(16).padStart(12, '0')
  const id = `aud_${milliseconds}${newId('x').slice(14)}`
  await db`
    insert into audit_log (id, at, actor_kind, actor_name, team_id, application_id, action, before, after, request_id)
    values (${id}, ${at}, 'integrator', ${more.actor ?? 'kim@example.com'}, ${team}, ${more.application ?? null}, ${action},
            '{"name": "Old"}', '{"name": "New"}', ${more.request ?? null})`
  return id
}

await wrote('2026-03-01T23:59:59.999Z', 'team.renamed', { actor: 'first@example.com' })
await wrote('2026-03-02T00:00:00.000Z', 'team.renamed', { application: 'app_x', request: 'req-1' })
await wrote('2026-03-02T23:59:59.999Z', 'member.left', { actor: '=cmd|calc' })
await wrote('2026-03-03T00:00:00.000Z', 'member.joined')

async function entries(query: string): Promise<string[]> {
  const { text } = await browser.open(desk(`/audit?${query}`))
  return [...text.matchAll(/datetime="(2026-03[^"]+)"/g)].map(([, at = '']) => at)
}

test('200: everything of everybody, newest first; each filter by itself and together', async () => {
  assert.equal((await entries('')).length, 4)
  assert.deepEqual(await entries('from=2026-03-02&to=2026-03-02'), [
    '2026-03-02T23:59:59.999Z',
    '2026-03-02T00:00:00.000Z',
  ])
  assert.deepEqual(await entries('actor=first@example.com'), ['2026-03-01T23:59:59.999Z'])
  assert.deepEqual(await entries('action=member.joined'), ['2026-03-03T00:00:00.000Z'])
  assert.deepEqual(await entries('application=app_x'), ['2026-03-02T00:00:00.000Z'])
  assert.deepEqual(await entries('request=req-1'), ['2026-03-02T00:00:00.000Z'])
  assert.equal((await entries(`team=${team}&action=team.renamed`)).length, 2)
  assert.equal((await entries(`team=${team}&action=team.renamed&to=2026-03-01`)).length, 1)
  assert.deepEqual(await entries('team=tem_other'), [])
  assert.equal((await entries('action=none-of-ours&before=%00')).length, 4)
})

test('200: by the id of an account, whatever it was called then', async () => {
  const kim = await scene.agent('Kim')
  const kims = await scene.atDesk(kim)
  await submitTo(kims, await kims.open(desk('/audit')), '/audit/export')
  const { text } = await browser.open(desk(`/audit?actor=${kim.id}`))
  assert.match(text, /Log: exported/)
})

test('400 for a day that is none, with everything as typed', async () => {
  for (const day of ['2026-02-30', 'yesterday', '2026-13-01', '99999-01-01']) {
    const page = await browser.get(desk(`/audit?from=${day}&actor=x%22y`))
    assert.equal(page.status, 400, day)
    assert.match(page.text, /Write the day like 2026-11-15/)
    assert.match(page.text, /value="x&quot;y"/)
  }
})

test('200 for whatever is typed into a field', async () => {
  for (const odd of ['%00', "'%20or%201=1%20--", '%F0%9F%98%80'.repeat(400), '%ED%A0%80', '%'])
    for (const field of ['actor', 'team', 'application', 'request', 'action', 'before'])
      assert.equal((await browser.get(desk(`/audit?${field}=x${odd}`))).status, 200, `${field} ${odd.slice(0, 20)}`)
})

test('200: page by page with the filter kept', async () => {
  await db`
    insert into audit_log (id, actor_kind, actor_name, action)
    select 'aud_' || lpad(to_hex(n), 32, '0'), 'platform', 'many & more', 'team.renamed' from generate_series(1, 120) as n`
  const first = await browser.open(desk('/audit?actor=many+%26+more'))
  assert.match(first.text, /Older entries/)
  const older = /href="([^"]+before=aud_[0-9a-f]{32})"/.exec(first.text)?.[1]?.replaceAll('&amp;', '&') ?? ''
  const second = await browser.open(`${scene.url}${older}`)
  assert.equal([...second.text.matchAll(/<bdi>many &amp; more<\/bdi>/g)].length, 50)
})

test('a CSV of what the filter finds, quoted, without formulas, written down; the whole of it, however long', async () => {
  const page = await browser.open(desk('/audit?from=2026-03-01&to=2026-03-31'))
  const csv = await submitTo(browser, page, '/audit/export')
  assert.equal(csv.status, 200)
  assert.equal(csv.headers.get('content-type'), 'text/csv; charset=utf-8')
  assert.match(csv.headers.get('content-disposition') ?? '', /^attachment; filename="handover-audit\.csv"$/)
  const lines = csv.text.split('\r\n')
  assert.equal(lines.length, 6)
  assert.ok(lines[2]?.includes(`"'=cmd|calc"`))
  assert.ok(lines[2]?.includes('"{""name"":""Old""}"'))
  const [entry] = await db<Array<{ after: object; actor_id: string }>>`
    select after, actor_id from audit_log where action = 'log.exported' and actor_id = ${sam.id}`
  assert.deepEqual(entry?.after, { from: '2026-03-01', to: '2026-03-31' })

  await db`
    insert into audit_log (id, actor_kind, actor_name, action)
    select 'aud_0' || lpad(to_hex(n), 31, '0'), 'platform', 'long', 'team.renamed' from generate_series(1000, 3500) as n`
  const long = await submitTo(browser, await browser.open(desk('/audit?actor=long')), '/audit/export')
  assert.equal(long.text.split('\r\n').length, 2_501 + 2)
})

test('a cell is what a spreadsheet takes for text', () => {
  for (const cell of ['=1+1', '+1', '-1', '@SUM(A1)', '\tx', '\r=1', '\n=1'])
    assert.ok(csvLine([cell]).startsWith(`"'`), JSON.stringify(cell))
  assert.equal(csvLine(['plain', 'a "b", c', 'two\nlines']), '"plain","a ""b"", c","two\nlines"\r\n')
})

test('each filter walks along an index of its own', async () => {
  await db`
    insert into audit_log (id, actor_kind, actor_name, team_id, application_id, action, request_id)
    select 'aud_1' || lpad(to_hex(n), 31, '0'), 'platform', 'p' || n % 500, 't' || n % 500, 'a' || n % 500, 'x.' || n % 500, 'r' || n
    from generate_series(1, 20000) as n`
  await db`analyze audit_log`
  for (const [column, index] of [
    ['actor_name', 'audit_log_by_actor_name'],
    ['action', 'audit_log_by_action'],
    ['team_id', 'audit_log_of_team'],
    ['application_id', 'audit_log_of_application'],
    ['request_id', 'audit_log_by_request'],
  ] as const) {
    const plan = await db<Array<Record<string, string>>>`
      explain select id from audit_log where ${db(column)} = 'none' and id < 'aud_2' order by id desc limit 51`
    assert.match(JSON.stringify(plan), new RegExp(index), column)
  }
})
