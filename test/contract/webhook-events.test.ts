import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { assertFaults, faultsIn, webhookIn } from '../harness/api-client.ts'
import { HOOK_URL, startApiScene } from '../harness/api-scene.ts'

/** As the contract lists them, written out: what our own code says is what is judged here. */
const EVENTS = {
  facility: [
    'shift.created',
    'shift.cancelled',
    'shift.scheduled',
    'shift.scheduled.cancelled',
    'shift.request.created',
    'shift.request.cancelled',
    'shift.report.created',
    'shift.report.accepted',
    'shift.report.accepted-automatically',
    'shift.report.rejected',
    'all',
  ],
  user: [
    'facility.user-connection.accepted',
    'facility.user-connection.rejected',
    'facility.creation.accepted',
    'facility.creation.rejected',
    'all',
  ],
} as const

const scene = await startApiScene()
after(scene.service.stop)
const application = await scene.integrator()
await scene.facility('production', application)
const api = await scene.appApi(application)

for (const kind of ['facility', 'user'] as const) {
  const [id = ''] = await scene.webhooks({ application }, kind, 1)
  const create = (events: unknown) => api.post(`/webhooks/${kind}`, { url: HOOK_URL, events })
  const update = (events: unknown) => api.patch(`/webhooks/${kind}/${id}`, { events })
  const others = EVENTS[kind === 'facility' ? 'user' : 'facility'].filter((name) => name !== 'all')

  describe(`events of a ${kind} webhook`, () => {
    for (const name of EVENTS[kind]) {
      test(`${name} is one of the ${kind} events`, async () => {
        assert.deepEqual(webhookIn(await create([name]), 201).events, [name])
        assert.deepEqual(webhookIn(await update([name])).events, [name])
      })
    }

    test('every event at once, all included', async () => {
      assert.deepEqual(webhookIn(await create(EVENTS[kind]), 201).events, [...EVENTS[kind]])
      assert.deepEqual(webhookIn(await update(EVENTS[kind])).events, [...EVENTS[kind]])
    })

    test('422 for each event of the other kind, with its place and the values that there are', async () => {
      for (const send of [create, update]) {
        const answer = await send([...others, 'all'])
        assertFaults(answer, ...others.map((_, position) => `/events/${position} unknown_value`))
        for (const { message } of faultsIn(answer)) for (const name of EVENTS[kind]) assert.ok(message.includes(name))
      }
    })

    test('422 for what is nearly a name: case, a prefix, a pattern, spaces, a word too many', async () => {
      const [first] = EVENTS[kind]
      const near = [
        first.toUpperCase(),
        'All',
        'ALL',
        '*',
        '',
        `${first} `,
        ` ${first}`,
        `${first}.`,
        `${first}.x`,
        first.split('.')[0] ?? '',
        `${first.split('.')[0]}.*`,
        first.replace('.', '_'),
        first.replace('.', '․'),
        `${first}\u200b`,
        'constructor',
      ]
      for (const send of [create, update])
        assertFaults(await send(near), ...near.map((_, position) => `/events/${position} unknown_value`))
    })

    test('422 for the same event twice, for none, and for what is no text', async () => {
      const [first, second] = EVENTS[kind]
      for (const send of [create, update]) {
        assertFaults(await send([first, second, first, first]), '/events/2 duplicate', '/events/3 duplicate')
        assertFaults(await send([]), '/events too_few')
        assertFaults(await send([[first]]), '/events/0 unknown_value', '/events/0 wrong_type')
      }
    })
  })
}
