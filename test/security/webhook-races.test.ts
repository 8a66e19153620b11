import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { retriedTransaction } from '../../src/platform/retried-transaction.ts'
import type { Answer } from '../harness/answer.ts'
import { assertProblem, type ShownWebhook, webhookIn } from '../harness/api-client.ts'
import { FACILITY_HOOK, HOOK_URL, startApiScene, USER_HOOK } from '../harness/api-scene.ts'
import { startSecondProcess } from '../harness/second-process.ts'
import { PATIENCE_MS, soon } from '../harness/soon.ts'

const scene = await startApiScene()
const second = await startSecondProcess(scene.service)
after(async () => {
  await second.stop()
  await scene.service.stop()
})
const { db } = scene
const urls = [scene.url, second.url]

/** The same caller at the two processes in turn. */
const inTurn = (token: string) => (turn: number) => scene.api(token, urls[turn % urls.length])

const partOf = ({ url, events, facilities, secrets }: ShownWebhook) => ({ url, events, facilities, secrets })

test('32 complete PATCHes at once, at two processes: the webhook is exactly one of them, and every answer is its own', async () => {
  const application = await scene.integrator()
  const facilities = await Promise.all(Array.from({ length: 8 }, () => scene.facility('production', application)))
  const at = inTurn(await scene.appToken(application))
  const { id } = webhookIn(await at(0).post('/webhooks/facility', FACILITY_HOOK), 201)
  const events = ['shift.created', 'shift.cancelled', 'shift.scheduled', 'all']
  const bodies = Array.from({ length: 32 }, (_, turn) => ({
    url: `https://partner.example/${turn}`,
    events: [events[turn % 4], events[(turn + 1) % 4]],
    facilities: facilities.slice(turn % 8),
    secrets: [`secret ${turn}`, `older secret ${turn}`],
  }))
  const answers = await Promise.all(bodies.map((body, turn) => at(turn).patch(`/webhooks/facility/${id}`, body)))
  for (const [turn, answer] of answers.entries()) assert.deepEqual(partOf(webhookIn(answer)), bodies[turn])
  const versions = answers.map(({ headers }) => headers.get('etag')?.split('.')[0])
  assert.equal(new Set(versions).size, 32, 'every version is another one')
  const now = partOf(webhookIn(await at(0).get(`/webhooks/facility/${id}`)))
  assert.equal(bodies.filter((body) => JSON.stringify(body) === JSON.stringify(now)).length, 1)
  const { text } = await at(1).get(`/webhooks/facility/${id}`)
  assert.ok(
    answers.some((answer) => answer.text === text),
    'and it was some answer, letter by letter',
  )
})

test('32 rotations of the secret at once: a chain, in which each keeps the new one of the rotation before', async () => {
  const at = inTurn(await scene.appToken(await scene.integrator()))
  const { id, secrets } = webhookIn(await at(0).post('/webhooks/user', USER_HOOK), 201)
  const answers = await Promise.all(
    Array.from({ length: 32 }, (_, turn) => at(turn).patch(`/webhooks/user/${id}`, { secrets: [] })),
  )
  const pairs = answers.map((answer) => webhookIn(answer).secrets)
  const behind = new Map(pairs.map(([made = '', previous = '']) => [previous, made]))
  let [last = ''] = secrets
  for (let step = 0; step < 32; step += 1) last = behind.get(last) ?? ''
  assert.equal(webhookIn(await at(0).get(`/webhooks/user/${id}`)).secrets[0], last)
})

test('16 at once with the same If-Match: exactly one is done, the others are 412', async () => {
  const at = inTurn(await scene.appToken(await scene.integrator()))
  const made = await at(0).post('/webhooks/user', USER_HOOK)
  const { id } = webhookIn(made, 201)
  const match = { 'if-match': made.headers.get('etag') ?? '' }
  const answers = await Promise.all(
    Array.from({ length: 16 }, (_, turn) => at(turn).patch(`/webhooks/user/${id}`, { secrets: [`s${turn}`] }, match)),
  )
  const done = answers.filter(({ status }) => status === 200)
  assert.equal(done.length, 1)
  for (const answer of answers) if (answer.status !== 200) assertProblem(answer, 412, 'version_changed')
  assert.deepEqual((await at(0).get(`/webhooks/user/${id}`)).body, done[0]?.body)
})

test('PATCH, disable and DELETE at once: each is done before it is gone, or 404; never anything else', async () => {
  const application = await scene.integrator({ apiRatePerSecond: 1_000, apiRateBurst: 1_000 })
  await scene.facility('production', application)
  const at = inTurn(await scene.appToken(application))
  for (let round = 0; round < 6; round += 1) {
    const { id } = webhookIn(await at(round).post('/webhooks/facility', FACILITY_HOOK), 201)
    const path = `/webhooks/facility/${id}`
    const [gone, ...others] = await Promise.all([
      at(round).delete(path),
      at(0).patch(path, { events: ['all'], facilities: [], secrets: [] }),
      at(1).patch(path, { facilities: [] }),
      at(0).post(`${path}/disable`),
      at(1).get(path),
      at(1).delete(path),
    ])
    const again = others.pop()
    assert.deepEqual(new Set([gone.status, again?.status]), new Set([204, 404]))
    for (const { status, text } of others) assert.ok(status === 200 || status === 404, text)
    assertProblem(await at(0).get(path), 404, 'not_found')
  }
})

for (const end of ['commit', 'rollback'] as const) {
  const [status, outcome] = end === 'commit' ? [409, 'repeat it'] : [201, 'it is made']

  test(`${status} creating against the deletion of a named facility, ${end}: ${outcome}`, async () => {
    const person = await scene.person()
    const application = await scene.integrator()
    const facility = await scene.facility('production', person)
    const api = await scene.personApi(application, person)
    const deletion = await beginDeletion('facilities', facility)
    const creating = api.post('/webhooks/facility', { ...FACILITY_HOOK, facilities: [facility] })
    await deletion.waited()
    await deletion.end(end)
    assertOutcome(await creating, status)
  })

  test(`${status} creating against the deletion of its person, who has others, ${end}: ${outcome}`, async () => {
    const person = await scene.person()
    const application = await scene.integrator()
    await scene.webhooks({ application, userId: person }, 'user', 3)
    const api = await scene.personApi(application, person)
    const deletion = await beginDeletion('users', person)
    const creating = api.post('/webhooks/user', USER_HOOK)
    await deletion.waited()
    await deletion.end(end)
    assertOutcome(await creating, status)
  })

  test(`${status} creating against the deletion of its application, which has others, ${end}: ${outcome}`, async () => {
    const application = await scene.integrator()
    await scene.webhooks({ application }, 'user', 3)
    const api = await scene.appApi(application)
    const deletion = await beginDeletion('applications', application.id)
    const creating = api.post('/webhooks/user', USER_HOOK)
    await deletion.waited()
    await deletion.end(end)
    assertOutcome(await creating, status)
  })

  test(`${status === 201 ? 200 : 409} PATCH against the deletion of a facility that it has and keeps, ${end}`, async () => {
    const person = await scene.person()
    const application = await scene.integrator()
    const facility = await scene.facility('production', person)
    const api = await scene.personApi(application, person)
    const { id } = webhookIn(await api.post('/webhooks/facility', FACILITY_HOOK), 201)
    const deletion = await beginDeletion('facilities', facility)
    const changing = api.patch(`/webhooks/facility/${id}`, { url: `${HOOK_URL}/2`, facilities: [facility] })
    await deletion.waited()
    await deletion.end(end)
    const answer = await changing
    assertOutcome(answer, status === 201 ? 200 : 409)
    const now = webhookIn(await api.get(`/webhooks/facility/${id}`))
    assert.equal(now.url, answer.status === 200 ? `${HOOK_URL}/2` : HOOK_URL)
    assert.deepEqual(now.facilities, end === 'commit' ? [] : [facility])
  })
}

test('two facilities deleted while a webhook with both is made, whatever their order: nobody waits in a circle', async () => {
  const person = await scene.person()
  const application = await scene.integrator()
  const [first = '', last = ''] = [
    await scene.facility('production', person),
    await scene.facility('production', person),
  ].toSorted()
  const api = await scene.personApi(application, person)
  const deletion = await beginDeletion('facilities', first)
  const creating = api.post('/webhooks/facility', { ...FACILITY_HOOK, facilities: [last, first] })
  await deletion.waited()
  await deletion.also(last)
  await deletion.end('commit')
  assertOutcome(await creating, 409)
})

test('everything at once against the deletion of facilities and the person: never a 500', async () => {
  const application = await scene.integrator({ apiRatePerSecond: 1_000, apiRateBurst: 1_000, webhooksPerPerson: 100 })
  for (let round = 0; round < 4; round += 1) {
    const person = await scene.person()
    const facilities = await Promise.all(Array.from({ length: 4 }, () => scene.facility('production', person)))
    const at = inTurn(await scene.personToken(application, person))
    const { id } = webhookIn(await at(0).post('/webhooks/facility', FACILITY_HOOK), 201)
    const answers = await Promise.all([
      ...Array.from({ length: 8 }, (_, turn) => at(turn).post('/webhooks/facility', FACILITY_HOOK)),
      ...Array.from({ length: 8 }, (_, turn) =>
        at(turn).patch(`/webhooks/facility/${id}`, { facilities: [], secrets: [] }),
      ),
      ...facilities.map((facility) => deleted('facilities', facility)),
      round % 2 === 0 ? undefined : deleted('users', person),
    ])
    for (const answer of answers)
      if (answer !== undefined) assert.ok([200, 201, 404, 409, 422].includes(answer.status), answer.text)
  }
})

function assertOutcome(answer: Answer, status: number): void {
  if (status === 409) assertProblem(answer, 409, 'changed_meanwhile')
  else webhookIn(answer, status)
}

/** As the platform API deletes: the row is held first, then it goes with all that refers to it. */
async function beginDeletion(table: 'facilities' | 'users' | 'applications', id: string) {
  const held = Promise.withResolvers<number>()
  const steps = Promise.withResolvers<{ also: string[]; end: 'commit' | 'rollback' }>()
  const more: string[] = []
  const work = db.begin(async (tx) => {
    await tx`select 1 from ${tx(table)} where id = ${id} for update`
    const [row] = await tx<Array<{ pid: number }>>`select pg_backend_pid() as pid`
    held.resolve(row?.pid ?? 0)
    const { also, end } = await steps.promise
    await tx`delete from ${tx(table)} where id = any(${[id, ...also]})`
    if (end === 'rollback') throw new Error('rolled back')
  })
  const pid = await Promise.race([held.promise, work.then(() => 0)])
  return {
    waited: async () => {
      const isSo = async () => (await db`select 1 from pg_locks where ${pid} = any(pg_blocking_pids(pid))`).length > 0
      assert.ok(await soon(isSo, PATIENCE_MS), 'nobody waits for the deletion')
    },
    also: async (other: string) => void more.push(other),
    end: async (how: 'commit' | 'rollback') => {
      steps.resolve({ also: more, end: how })
      if (how === 'commit') await work
      else await assert.rejects(work, /rolled back/)
    },
  }
}

/** As the platform API does it: again, when two deletions waited for each other. Only what the API answers is judged here. */
async function deleted(table: 'facilities' | 'users', id: string): Promise<undefined> {
  await retriedTransaction(db, (tx) => tx`delete from ${tx(table)} where id = ${id}`)
}
