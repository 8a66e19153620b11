import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { type Api, assertProblem, webhookIn } from '../harness/api-client.ts'
import { FACILITY_HOOK, startApiScene, USER_HOOK } from '../harness/api-scene.ts'
import { startSecondProcess } from '../harness/second-process.ts'
import { soon } from '../harness/soon.ts'

const scene = await startApiScene()
after(scene.service.stop)
const { db } = scene
const bodies = { facility: FACILITY_HOOK, user: USER_HOOK }

const full = async (api: Api, kind: 'facility' | 'user') =>
  assertProblem(await api.post(`/webhooks/${kind}`, bodies[kind]), 409, 'limit_reached')
const room = async (api: Api, kind: 'facility' | 'user') =>
  webhookIn(await api.post(`/webhooks/${kind}`, bodies[kind]), 201)

test('409 limit_reached at the 21st webhook of a person and kind: not for the other kind, environment, person or application', async () => {
  const [application, another] = [await scene.integrator(), await scene.integrator()]
  const [ann, bob] = [await scene.person(), await scene.person()]
  await scene.facility('production', ann)
  await scene.webhooks({ application, userId: ann }, 'user', 19)
  const api = await scene.personApi(application, ann)
  await room(api, 'user')
  await full(api, 'user')
  await room(api, 'facility')
  await room(await scene.personApi(application, ann, 'sandbox'), 'user')
  await room(await scene.personApi(application, bob), 'user')
  await room(await scene.personApi(another, ann), 'user')
  await room(await scene.appApi(application), 'user')
})

test('409 limit_reached at the 101st webhook of an application and kind; those of its people do not count', async () => {
  const application = await scene.integrator()
  await scene.facility('production', application)
  const person = await scene.person()
  await scene.webhooks({ application, userId: person }, 'facility', 20)
  await scene.webhooks({ application }, 'facility', 99)
  const api = await scene.appApi(application)
  await room(api, 'facility')
  await full(api, 'facility')
  await room(api, 'user')
  await room(await scene.appApi(application, 'sandbox'), 'user')
  await room(await scene.personApi(application, person), 'user')
})

test('the answer says how many are allowed, where, and what to do', async () => {
  const application = await scene.integrator({ webhooksPerPerson: 0 })
  const answer = await (await scene.personApi(application, await scene.person(), 'sandbox')).post(
    '/webhooks/user',
    USER_HOOK,
  )
  assert.match(String(answer.body['detail']), /0 webhooks of this kind in sandbox.*ask support/)
})

test('support raises either limit, and it counts within a second', async () => {
  const application = await scene.integrator({ webhooksPerApplication: 1, webhooksPerPerson: 1 })
  const callers = [await scene.appApi(application), await scene.personApi(application, await scene.person())]
  for (const api of callers) {
    await room(api, 'user')
    await full(api, 'user')
  }
  await db`update applications set webhooks_per_application = 2, webhooks_per_person = 3 where id = ${application.id}`
  for (const api of callers)
    assert.ok(await soon(async () => (await api.post('/webhooks/user', USER_HOOK)).status === 201))
  const [own, persons] = callers
  assert.ok(own && persons)
  await full(own, 'user')
  await room(persons, 'user')
  await full(persons, 'user')
})

test('200 for those that are there when support lowers the limit; none can be added', async () => {
  const application = await scene.integrator()
  const [first = ''] = await scene.webhooks({ application }, 'user', 3)
  await db`update applications set webhooks_per_application = 1 where id = ${application.id}`
  const api = await scene.appApi(application)
  await full(api, 'user')
  assert.equal((await api.patch(`/webhooks/user/${first}`, { events: ['all'] })).status, 200)
  await api.delete(`/webhooks/user/${first}`)
  await full(api, 'user')
})

test('40 at once with room for 10, at two processes: exactly 10 are made', async () => {
  const second = await startSecondProcess(scene.service)
  try {
    const application = await scene.integrator()
    await scene.webhooks({ application }, 'user', 90)
    const token = await scene.appToken(application)
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, turn) =>
        scene.api(token, turn % 2 === 0 ? scene.url : second.url).post('/webhooks/user', USER_HOOK),
      ),
    )
    assert.equal(answers.filter(({ status }) => status === 201).length, 10)
    for (const answer of answers) if (answer.status !== 201) assertProblem(answer, 409, 'limit_reached')
    const rows = await db`select 1 from webhooks where application_id = ${application.id}`
    assert.equal(rows.length, 100)
  } finally {
    await second.stop()
  }
})

test('20 created and 20 deleted at once: the count is right afterwards', async () => {
  const application = await scene.integrator()
  const ids = await scene.webhooks({ application }, 'user', 80)
  const api = await scene.appApi(application)
  const answers = await Promise.all([
    ...ids.slice(0, 20).map((id) => api.delete(`/webhooks/user/${id}`)),
    ...Array.from({ length: 20 }, () => api.post('/webhooks/user', USER_HOOK)),
  ])
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([204, 201]))
  assert.equal(await counted(application.id), 80)
})

test('deleting makes room, whether it is one webhook or everything of a person', async () => {
  const application = await scene.integrator()
  const person = await scene.person()
  const [first = ''] = await scene.webhooks({ application, userId: person }, 'user', 20)
  const api = await scene.personApi(application, person)
  await full(api, 'user')
  await api.delete(`/webhooks/user/${first}`)
  await room(api, 'user')
  await full(api, 'user')

  await db`delete from users where id = ${person}`
  assert.equal(await counted(application.id), 0)
  await db`
    insert into users (id, role, email, email_folded, name)
    values (${person}, 'NURSE_USER', ${`${person}@x.example`}, ${`${person}@x.example`}, 'Again')`
  await room(await scene.personApi(application, person), 'user')
})

test('a request that is refused takes no room', async () => {
  const application = await scene.integrator({ webhooksPerApplication: 1 })
  const api = await scene.appApi(application)
  for (let turn = 0; turn < 3; turn += 1) assert.equal((await api.post('/webhooks/user', {})).status, 422)
  assert.equal((await api.post('/webhooks/facility', FACILITY_HOOK)).status, 422)
  await room(api, 'user')
})

async function counted(applicationId: string): Promise<number> {
  const [row] = await db<Array<{ rows: number; counts: number }>>`
    select (select count(*)::int from webhooks where application_id = ${applicationId}) as rows,
           (select sum(webhooks)::int from webhook_counts where application_id = ${applicationId}) as counts`
  assert.equal(row?.counts, row?.rows, 'the count is what there is')
  return row?.rows ?? -1
}
