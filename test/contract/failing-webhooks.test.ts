import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { watchFailing } from '../../src/app/delivery-tasks.ts'
import { createFailingWatch } from '../../src/delivery/failing-watch.ts'
import type { Mail } from '../../src/platform/mail.ts'
import { webhookIn } from '../harness/api-client.ts'
import { HOOK_URL, startApiScene } from '../harness/api-scene.ts'
import { mailsTo, nextMail, type ReceivedMail } from '../harness/demo-mail.ts'
import { PATIENCE_MS, soon } from '../harness/soon.ts'

const scene = await startApiScene()
const { db, url, service } = scene
const { deps } = service
// What the worker does every minute, done when a test wants it.
const watch = watchFailing(deps, url)
after(async () => {
  await watch.stop()
  await service.stop()
})

const application = await scene.integrator()

type Health = { days: number; failures: number; warned?: number }

/** A webhook of somebody who can be written to, that fails since so many days. */
async function failing({ days, failures, warned = 0 }: Health): Promise<{ id: string; person: string; to: string }> {
  const person = await scene.person()
  const [id = ''] = await scene.webhooks({ application, userId: person }, 'facility', 1)
  await fail(id, { days, failures, warned })
  return { id, person, to: `${person}@example.com` }
}

async function fail(id: string, { days, failures, warned = 0 }: Health): Promise<void> {
  await db`
    update webhook_schedules set failing_since = now() - make_interval(secs => ${days * 86_400}), failures = ${failures},
      consecutive_failures = ${failures}, warned = ${warned}, due_at = now() + interval '1 hour'
    where webhook_id = ${id}`
}

type Row = {
  because: string | null
  version: number
  due: string
  since: Date | null
  failures: number
  warned: number
}

async function row(id: string): Promise<Row> {
  const [found] = await db<Row[]>`
    select disabled_because as because, version, due_at::text as due, failing_since as since, failures, warned
    from webhooks join webhook_schedules on webhook_id = id where id = ${id}`
  assert.ok(found)
  return found
}

function assertSaysHostOnly({ text, subject }: ReceivedMail): void {
  const { hostname, pathname } = new URL(HOOK_URL)
  assert.ok(text.includes(hostname) && subject.includes(hostname))
  assert.ok(!text.includes(pathname) && !text.includes('a secret'), text)
}

/** Turns of the watch answer before mails are sent. */
async function turn(): Promise<void> {
  await watch.turn()
  await watch.stop()
}

const logged = (id: string, what: string) =>
  service.logged.filter((line) => line.includes(id) && line.includes(what)).length

test('after 5 days with 20 failures it is disabled, its owner gets one mail, and enabling begins anew', async () => {
  const { id, person, to } = await failing({ days: 5.001, failures: 20, warned: 90 })
  const before = await row(id)
  await turn()
  await turn()
  const { because, version, due, since, failures, warned } = await row(id)
  assert.deepEqual({ because, version, due }, { because: 'failing', version: before.version + 1, due: 'infinity' })
  assert.deepEqual({ since, failures, warned }, { since: null, failures: 0, warned: 0 })
  const mail = await nextMail(url, to)
  assert.equal((await mailsTo(url, to)).length, 1)
  assertSaysHostOnly(mail)
  assert.match(mail.subject, /was disabled/)
  assert.match(mail.text, /failed for 5 days/)
  assert.ok(mail.text.includes(`POST ${url}/api/v2/public/webhooks/facility/${id}/enable\n`), mail.text)
  assert.equal(logged(id, 'a webhook was disabled'), 1)

  const api = await scene.personApi(application, person)
  const shown = webhookIn(await api.get(`/webhooks/facility/${id}`))
  assert.deepEqual([shown.status, shown.disabledReason], ['disabled', 'failing'])
  const enabled = webhookIn(await api.post(`/webhooks/facility/${id}/enable`))
  assert.equal(enabled.status, 'enabled')
  await turn()
  assert.equal((await row(id)).because, null)
})

const spared: Array<[string, Health]> = [
  ['19 failures in 6 days', { days: 6, failures: 19, warned: 90 }],
  ['2,000 failures in 4.9 days', { days: 4.9, failures: 2_000, warned: 90 }],
]
for (const [what, health] of spared) {
  test(`${what} are not enough to disable it`, async () => {
    const { id } = await failing(health)
    await turn()
    assert.equal((await row(id)).because, null)
  })
}

test('nobody is blamed while nothing is sent: a suspended application, a webhook that was disabled by request', async () => {
  const suspended = await scene.integrator()
  const [id = ''] = await scene.webhooks({ application: suspended }, 'user', 1)
  await fail(id, { days: 6, failures: 30 })
  await db`update applications set suspended_at = now() where id = ${suspended.id}`
  const mine = await failing({ days: 6, failures: 30 })
  await db`update webhooks set disabled_because = 'by_request' where id = ${mine.id}`
  await turn()
  assert.equal((await row(id)).because, null)
  assert.equal((await row(id)).warned, 0)
  assert.equal((await row(mine.id)).because, 'by_request')
  assert.deepEqual(await mailsTo(url, mine.to), [])
})

test('warnings at 50, 75 and 90 percent, each once, with the day on which it ends', async () => {
  const { id, to } = await failing({ days: 2.4, failures: 500 })
  const steps: Array<[days: number, mails: number, warned: number]> = [
    [2.4, 0, 0],
    [2.51, 1, 50],
    [3.7, 1, 50],
    [3.76, 2, 75],
    [4.51, 3, 90],
    [4.9, 3, 90],
  ]
  let since: Date | null = null
  for (const [days, mails, warned] of steps) {
    await fail(id, { days, failures: 500, warned: (await row(id)).warned })
    await turn()
    await turn()
    assert.equal((await mailsTo(url, to)).length, mails, `${days} days`)
    const now = await row(id)
    assert.equal(now.warned, warned)
    // As it stood when the last mail was written; what is moved after it may end on another day.
    if (mails > 0 && days <= 4.51) since = now.since
  }
  const end = new Date((since?.getTime() ?? 0) + 5 * 86_400_000)
  for (const mail of await mailsTo(url, to)) {
    assertSaysHostOnly(mail)
    assert.match(mail.subject, /is failing/)
    assert.match(mail.text, /one success is enough/)
  }
  const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' }).format(end)
  assert.ok((await nextMail(url, to)).text.includes(`disabled on ${day}`))
  assert.equal(logged(id, 'a webhook keeps failing'), 3)
})

const warnedAt: Array<[Health, number]> = [
  [{ days: 4, failures: 9 }, 0],
  [{ days: 4, failures: 10 }, 50],
  [{ days: 4, failures: 15 }, 75],
  [{ days: 40, failures: 19 }, 90],
  [{ days: 2.6, failures: 19 }, 50],
]
for (const [health, percent] of warnedAt) {
  test(`${health.failures} failures in ${health.days} days are ${percent} percent of the way: the lesser of both counts`, async () => {
    const { id } = await failing(health)
    await turn()
    assert.equal((await row(id)).warned, percent)
  })
}

test('what can end at any moment is not told as a day in the past', async () => {
  const { to } = await failing({ days: 40, failures: 19 })
  await turn()
  assert.match((await nextMail(url, to)).text, /disabled after a few more failures/)
})

test('410 disables, and the owner is told once', async () => {
  const receiver = service.demo['RECEIVER_URL'] ?? ''
  const person = await scene.person()
  await scene.facility('production', person)
  const api = await scene.personApi(application, person)
  const body = { url: `${receiver}/status/410`, events: ['all'], facilities: [], secrets: [] }
  const { id } = webhookIn(await api.post('/webhooks/facility', body), 201)
  assert.equal((await api.post(`/webhooks/facility/${id}/test`, {})).status, 202)
  assert.ok(await soon(async () => (await row(id)).because === 'gone', PATIENCE_MS))
  assert.equal((await row(id)).due, 'infinity')
  await turn()
  await turn()
  const to = `${person}@example.com`
  assert.equal((await mailsTo(url, to)).length, 1)
  const mail = await nextMail(url, to)
  assert.match(mail.text, /410 Gone/)
  assert.ok(mail.text.includes('localhost') && !mail.text.includes('/status/410'), mail.text)
  assert.equal(logged(id, '"because":"gone"'), 1)
})

test('one success, and all of it is forgotten', async () => {
  const receiver = service.demo['RECEIVER_URL'] ?? ''
  const person = await scene.person()
  await scene.facility('production', person)
  const api = await scene.personApi(application, person)
  const body = { url: `${receiver}/hook`, events: ['all'], facilities: [], secrets: [] }
  const { id } = webhookIn(await api.post('/webhooks/facility', body), 201)
  await fail(id, { days: 4.9, failures: 50, warned: 90 })
  assert.equal((await api.post(`/webhooks/facility/${id}/test`, {})).status, 202)
  assert.ok(await soon(async () => (await row(id)).since === null, PATIENCE_MS))
  const { warned, failures } = await row(id)
  assert.deepEqual({ warned, failures }, { warned: 0, failures: 0 })
})

test('what an application registered for itself: a log line and a number, and no mail yet', async () => {
  const [id = ''] = await scene.webhooks({ application }, 'user', 1)
  await fail(id, { days: 6, failures: 30 })
  const mails = await mailsInAll()
  const disabledBefore = await total('handover_webhooks_disabled_total', 'because="failing"')
  await turn()
  assert.equal((await row(id)).because, 'failing')
  assert.equal(await mailsInAll(), mails)
  assert.equal(logged(id, 'a webhook was disabled'), 1)
  assert.equal(await total('handover_webhooks_disabled_total', 'because="failing"'), disabledBefore + 1)
})

test('a mail server that is away: the mails come up again until it takes them, and once', async () => {
  const off = await failing({ days: 6, failures: 30 })
  const warning = await failing({ days: 3, failures: 30 })
  const sent: Mail[] = []
  const told: string[] = []
  let away = true
  const patient = createFailingWatch({
    db,
    clock: deps.clock,
    mailer: {
      send: async (mail) => {
        if (away) throw new Error('The mail server did not take a mail')
        sent.push(mail)
      },
    },
    baseUrl: url,
    warned: ({ webhookId }) => told.push(webhookId),
    disabled: ({ webhookId }) => told.push(webhookId),
    failed: () => {},
  })
  for (const now of [true, true, false, false]) {
    away = now
    await patient.turn()
    await patient.stop()
  }
  assert.deepEqual(sent.map(({ to }) => to).toSorted(), [off.to, warning.to].toSorted())
  assert.deepEqual(told.toSorted(), [off.id, warning.id].toSorted())
  assert.equal((await row(off.id)).since, null)
  assert.equal((await row(warning.id)).warned, 50)
})

test('any number of processes at once: disabled once, told once', async () => {
  const { id, to } = await failing({ days: 6, failures: 30 })
  const { version } = await row(id)
  const others = Array.from({ length: 5 }, () => watchFailing(deps, url))
  await Promise.all(others.map((each) => each.turn()))
  await turn()
  await Promise.all(others.map((each) => each.stop()))
  assert.equal((await row(id)).version, version + 1)
  assert.equal((await mailsTo(url, to)).length, 1)
})

async function mailsInAll(): Promise<number> {
  const { data }: { data: unknown[] } = JSON.parse(await (await fetch(`${url}/demo/mailbox.json`)).text())
  return data.length
}

async function total(name: string, labels: string): Promise<number> {
  const text = await deps.metrics.registry.metrics()
  return Number(new RegExp(`^${name}\\{${labels}\\} (\\d+)$`, 'm').exec(text)?.[1] ?? 0)
}

test('an application’s own webhook is its team’s: owners and developers are written to, readers are not', async () => {
  const own = await scene.integrator()
  await db`insert into teams (id, name) values ('tem_failing', 'Rota')`
  for (const role of ['owner', 'developer', 'read-only']) {
    const id = `int_failing_${role}`
    const email = `${role}@failing.example`
    await db`
      insert into integrators (id, email, email_folded, name, password_hash) values (${id}, ${email}, ${email}, 'Ann', '')`
    await db`insert into team_members (team_id, integrator_id, role) values ('tem_failing', ${id}, ${role})`
  }
  await db`update applications set team_id = 'tem_failing' where id = ${own.id}`
  const [id = ''] = await scene.webhooks({ application: own }, 'facility', 1)
  await fail(id, { days: 5.001, failures: 20, warned: 90 })
  await turn()
  assert.equal((await row(id)).because, 'failing')
  const mails = await Promise.all(
    ['owner', 'developer', 'read-only'].map((role) => mailsTo(url, `${role}@failing.example`)),
  )
  assert.deepEqual(
    mails.map((each) => each.length),
    [1, 1, 0],
  )
})
