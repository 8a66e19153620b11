import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startApiScene } from '../harness/api-scene.ts'
import { fingerprint } from '../harness/fingerprint.ts'
import { finishedRows } from '../harness/finished-rows.ts'
import { PATIENCE_MS, soon } from '../harness/soon.ts'
import { agentsOf, signInAt } from '../harness/support-scene.ts'
import { actWithReason, confirmAgain } from '../harness/support-steps.ts'

const scene = await startApiScene()
after(scene.service.stop)
const { db, url } = scene
const HEALTH = `${url}/support/health`
const ROTATE = `${HEALTH}/rotate-keys`
const sam = await agentsOf(db, scene.service.deps)()
const atDesk = await signInAt(url, sam)

type Jwks = { keys: Array<{ kid: string; alg: string }> }
async function published(): Promise<string[]> {
  const { keys }: Jwks = JSON.parse(await (await fetch(`${url}/oidc/.well-known/jwks.json`)).text())
  return keys.map(({ kid }) => kid)
}

test('200 with the published keys, the queue, the database, mail and version; never a private key', async () => {
  const { status, text } = await atDesk.open(HEALTH)
  assert.equal(status, 200)
  for (const kid of await published()) assert.ok(text.includes(kid), kid)
  for (const fact of ['RS256', 'ES256', 'EdDSA', 'current', 'on time', 'PostgreSQL', '0.1.0'])
    assert.ok(text.includes(fact), fact)
  const rows = await db<Array<{ key: Buffer }>>`select private_key as key from signing_keys`
  for (const { key } of rows) assert.ok(!text.includes(key.toString('base64')) && !text.includes(key.toString('hex')))
})

test('hosts by their failing webhooks, and what was delivered by the minute', async () => {
  const application = await scene.integrator()
  const ids = await scene.webhooks({ application, environment: 'sandbox' }, 'facility', 4)
  const [one = '', two = '', three = '', four = ''] = ids
  for (const [id, host] of [
    [one, 'down.example'],
    [two, 'down.example'],
    [three, 'slow.example:8443'],
    [four, 'fine.example'],
  ])
    await db`update webhooks set url = ${`https://${host}/h?key=1`} where id = ${id ?? ''}`
  await db`
    update webhook_schedules set failing_since = now(), consecutive_failures = case when webhook_id = ${one} then 10 else 1 end
    where webhook_id = any(${[one, two, three]})`
  await finishedRows(db, 7, { webhookId: four })
  const { text } = await atDesk.open(HEALTH)
  const rows = [
    ...text.matchAll(
      /data-label="Host"><div><code>([^<]*)<\/code>.*?data-label="Failing webhooks"><div>(\d+).*?data-label="Open circuits"><div>(\d+)/g,
    ),
  ]
  assert.deepEqual(
    rows.map(([, ...cells]) => cells),
    [
      ['down.example', '2', '1'],
      ['slow.example:8443', '1', '0'],
    ],
  )
  assert.match(text, /In 30 minutes 7 deliveries succeeded and 0 failed/)
  assert.doesNotMatch(text, /key=1/)
})

test('keys are rotated for tomorrow: a next key of each algorithm is published, and the log names them', async () => {
  const before = await published()
  const answer = await actWithReason(atDesk, ROTATE, { reason: 'Yearly drill.', when: 'tomorrow', confirm: 'rotate' })
  assert.equal(answer.location, `${HEALTH}?done=rotated`)
  assert.ok(await soon(async () => (await published()).length === before.length + 3, PATIENCE_MS))
  const added = (await published()).filter((kid) => !before.includes(kid))
  const [entry] = await db<[{ team_id: string | null; after: Record<string, string> }]>`
    select team_id, after from audit_log where action = 'keys.rotated'`
  assert.equal(entry.team_id, null)
  assert.deepEqual(new Set(entry.after['keys']?.split(', ')), new Set(added))
  assert.equal(entry.after['reason'], 'Yearly drill.')
  const again = await actWithReason(atDesk, ROTATE, { reason: 'Once more.', when: 'tomorrow', confirm: 'rotate' })
  assert.equal(again.location, `${HEALTH}?done=rotated-already`)
  assert.equal((await db`select 1 from audit_log where action = 'keys.rotated'`).length, 1)
})

test('400 without the typed word, a choice or a reason, with what was typed; nothing changed', async () => {
  const before = await fingerprint(db)
  const wrong = [
    { reason: 'Why not.', when: 'now', confirm: 'rotat' },
    { reason: 'Why not.', when: 'never', confirm: 'rotate' },
    { reason: '', when: 'now', confirm: 'rotate' },
  ]
  for (const fields of wrong) {
    const answer = await actWithReason(atDesk, ROTATE, fields)
    assert.equal(answer.status, 400)
    if (fields.reason !== '') assert.ok(answer.text.includes('Why not.'))
  }
  assert.deepEqual(await fingerprint(db), before)
})

test('rotating at once asks again who it is after ten minutes, and keeps what was typed', async () => {
  await db`update staff_sessions set auth_time = now() - interval '11 minutes' where staff_id = ${sam.id}`
  const asked = await actWithReason(atDesk, ROTATE, { reason: 'A key leaked.', when: 'now', confirm: 'rotate' })
  assert.match(asked.text, /Confirm that it is you/)
  const done = await confirmAgain(atDesk, asked, sam.recoveryCodes.shift() ?? '')
  assert.equal(done.location, `${HEALTH}?done=rotated`)
  const isRetired = async () => (await atDesk.open(HEALTH)).text.includes('<span class="tag">retired</span>')
  assert.ok(await soon(isRetired, PATIENCE_MS))
})
