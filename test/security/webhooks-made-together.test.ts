import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Answer } from '../harness/answer.ts'
import { type Api, assertProblem, type ShownWebhook, webhookIn } from '../harness/api-client.ts'
import { FACILITY_HOOK, startApiScene, USER_HOOK } from '../harness/api-scene.ts'
import { PATIENCE_MS, soon } from '../harness/soon.ts'
import { lockTable } from '../harness/table-lock.ts'
import type { TestApplication } from '../harness/token-scene.ts'

// What comes at the same moment is made by one statement (decision record 96). Nobody may notice.

const scene = await startApiScene()
after(scene.service.stop)
const { db } = scene

/** An application of its own with a facility of its own, and what it creates. */
async function newCaller(settings: Parameters<typeof scene.integrator>[0] = {}) {
  const application = await scene.integrator(settings)
  const facility = await scene.facility('production', application)
  return { application, facility, api: await scene.appApi(application) }
}

function hookFor(facility: string, more: object = {}): object {
  return { url: `https://partner.example/${facility}`, events: ['shift.created'], facilities: [facility], ...more }
}

/** Sent while one that came before them is kept waiting, so that they go together. */
async function together(requests: Array<() => Promise<Answer>>): Promise<Answer[]> {
  const { api } = await newCaller()
  const lock = await lockTable(db, 'webhook_counts')
  const before = api.post('/webhooks/user', USER_HOOK)
  await lock.waited()
  const answers = requests.map((request) => request())
  // Whoever was let in before this answer has come as far as it can.
  await api.get('/webhooks/user')
  await lock.release()
  webhookIn(await before, 201)
  return Promise.all(answers)
}

async function transactionsOf(webhooks: ShownWebhook[]): Promise<number> {
  const rows = await db`select distinct xmin::text from webhooks where id = any(${webhooks.map(({ id }) => id)})`
  return rows.length
}

async function countOf({ id }: TestApplication, userId = ''): Promise<number> {
  const rows = await db<Array<{ webhooks: number }>>`
    select webhooks from webhook_counts where application_id = ${id} and user_id = ${userId}`
  return rows.reduce((sum, { webhooks }) => sum + webhooks, 0)
}

test('24 owners at once, of both kinds and environments: each gets its own webhook, written by a few transactions', async () => {
  const person = await scene.person()
  const shared = await scene.facility('production', person)
  const callers = await Promise.all(Array.from({ length: 20 }, () => newCaller()))
  const [one] = callers
  assert.ok(one)
  const persons = await scene.personApi(one.application, person)
  const sandboxFacility = await scene.facility('sandbox', one.application)
  const sandbox = await scene.appApi(one.application, 'sandbox')
  const sent: Array<[Api, 'facility' | 'user', object, string]> = [
    ...callers.map(({ api, facility, application }): (typeof sent)[number] => [
      api,
      'facility',
      hookFor(facility, { secrets: [`secret of ${facility}`, 'older'] }),
      application.id,
    ]),
    [one.api, 'user', { ...USER_HOOK, secrets: ['of the application'] }, one.application.id],
    [persons, 'user', { ...USER_HOOK, secrets: ['of the person'] }, one.application.id],
    [persons, 'facility', hookFor(shared, { secrets: ['shared'] }), one.application.id],
    [sandbox, 'facility', hookFor(sandboxFacility, { secrets: ['sandbox'] }), one.application.id],
  ]
  const answers = await together(
    sent.map(
      ([api, kind, body]) =>
        () =>
          api.post(`/webhooks/${kind}`, body),
    ),
  )
  const made = answers.map((answer) => webhookIn(answer, 201))
  for (const [position, [api, kind, body, clientId]] of sent.entries()) {
    const webhook = made[position]
    assert.ok(webhook)
    const { url, events, facilities, secrets } = webhook
    assert.deepEqual({ url, events, ...(facilities && { facilities }), secrets }, body)
    assert.equal(webhook.clientId, clientId)
    assert.equal(answers[position]?.headers.get('location'), `/api/v2/public/webhooks/${kind}/${webhook.id}`)
    const read = await api.get(`/webhooks/${kind}/${webhook.id}`)
    assert.deepEqual(read.body, answers[position]?.body)
    assert.equal(read.headers.get('etag'), answers[position]?.headers.get('etag'))
  }
  const transactions = await transactionsOf(made)
  assert.ok(transactions <= 6, `${transactions} transactions`)
  const [schedules] = await db`
    select count(*)::int from webhook_schedules where webhook_id = any(${made.map(({ id }) => id)})`
  assert.equal(schedules?.['count'], 24)
})

test('each gets its own refusal: an unknown facility, no facility to detect, no room, another’s facility; the others are made', async () => {
  const [one, other, full, none, lonely, big] = await Promise.all([
    newCaller(),
    newCaller(),
    newCaller({ webhooksPerApplication: 1 }),
    newCaller({ webhooksPerApplication: 0 }),
    scene.integrator().then(async (application) => ({ application, api: await scene.appApi(application) })),
    newCaller(),
  ])
  webhookIn(await full.api.post('/webhooks/facility', FACILITY_HOOK), 201)
  const many = await Promise.all(Array.from({ length: 30 }, () => scene.facility('production', big.application)))
  const [taken, fine, tooMany, notOne, undetected, detected] = await together([
    () => one.api.post('/webhooks/facility', hookFor(one.facility, { facilities: [one.facility, other.facility] })),
    () => other.api.post('/webhooks/facility', hookFor(other.facility)),
    () => full.api.post('/webhooks/facility', hookFor(full.facility)),
    () => none.api.post('/webhooks/facility', hookFor(none.facility)),
    () => lonely.api.post('/webhooks/facility', FACILITY_HOOK),
    () => big.api.post('/webhooks/facility', FACILITY_HOOK),
  ])
  assert.ok(taken && fine && tooMany && notOne && undetected && detected)
  assertProblem(taken, 422, 'wrong_fields')
  assert.match(taken.text, /"pointer":"\/facilities\/1"/)
  webhookIn(fine, 201)
  assertProblem(tooMany, 409, 'limit_reached')
  assertProblem(notOne, 409, 'limit_reached')
  assertProblem(undetected, 422, 'wrong_fields')
  assert.deepEqual(webhookIn(detected, 201).facilities, [...many, big.facility].toSorted())
  assert.deepEqual(
    await Promise.all([one, other, full, none].map(({ application }) => countOf(application))),
    [0, 1, 1, 0],
  )
})

test('one owner 30 times at once with room for 12: twelve are made and counted, the others are 409', async () => {
  const { api, application, facility } = await newCaller({ webhooksPerApplication: 12 })
  const answers = await together(
    Array.from({ length: 30 }, () => () => api.post('/webhooks/facility', hookFor(facility))),
  )
  const made = answers.filter(({ status }) => status === 201)
  assert.equal(made.length, 12)
  for (const answer of answers) if (answer.status !== 201) assertProblem(answer, 409, 'limit_reached')
  assert.equal(await countOf(application), 12)
})

test('what PostgreSQL refuses of one is refused to nobody else', async () => {
  const callers = await Promise.all(Array.from({ length: 5 }, () => newCaller()))
  const [guilty] = callers
  assert.ok(guilty)
  await db`
    create function refuse_one() returns trigger language plpgsql as $$
    begin raise exception 'not this one' using errcode = '23503'; end $$`
  await db.unsafe(`create trigger refuse_one before insert on webhooks for each row
    when (new.application_id = '${guilty.application.id}') execute function refuse_one()`)
  try {
    const answers = await together(
      callers.map(
        ({ api, facility }) =>
          () =>
            api.post('/webhooks/facility', hookFor(facility)),
      ),
    )
    assert.deepEqual(
      answers.map(({ status }) => status),
      [409, 201, 201, 201, 201],
    )
  } finally {
    await db`drop trigger refuse_one on webhooks`
  }
})

for (const held of ['facility', 'application', 'person', 'count'] as const) {
  test(`who needs a ${held} that somebody holds waits for it alone`, async () => {
    const [waiting, other] = await Promise.all([newCaller(), newCaller()])
    const person = await scene.person()
    const users = await scene.personApi(waiting.application, person)
    webhookIn(await users.post('/webhooks/user', USER_HOOK), 201)
    const release = Promise.withResolvers<void>()
    const isHeld = Promise.withResolvers<void>()
    const holding = db.begin(async (tx) => {
      const { application, facility } = waiting
      if (held === 'facility') await tx`select 1 from facilities where id = ${facility} for update`
      if (held === 'application') await tx`select 1 from applications where id = ${application.id} for update`
      if (held === 'person') await tx`select 1 from users where id = ${person} for update`
      if (held === 'count') await tx`select 1 from webhook_counts where application_id = ${application.id} for update`
      isHeld.resolve()
      await release.promise
    })
    await isHeld.promise
    const slow =
      held === 'facility'
        ? waiting.api.post('/webhooks/facility', hookFor(waiting.facility))
        : users.post('/webhooks/user', USER_HOOK)
    const isWaiting = async () => (await db`select 1 from pg_locks where not granted`).length > 0
    assert.ok(await soon(isWaiting, PATIENCE_MS), 'it waits')
    for (let turn = 0; turn < 3; turn += 1)
      webhookIn(await other.api.post('/webhooks/facility', hookFor(other.facility)), 201)
    release.resolve()
    await holding
    webhookIn(await slow, 201)
  })
}
