import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { triggerCommand } from '../../src/cli/trigger.ts'
import { EVENT_MEANINGS } from '../../src/domain/webhooks/event-meanings.ts'
import { audienceOf } from '../harness/api-scene.ts'
import { arrivalsBecome, only, startDeliveryScene } from '../harness/delivery-scene.ts'
import { runCommand } from '../harness/run-command.ts'

const scene = await startDeliveryScene()
const folder = await mkdtemp(join(tmpdir(), 'handover-cli-'))
after(async () => {
  await scene.stop()
  await rm(folder, { recursive: true, force: true })
})
const application = await scene.integrator()
const env = {
  HANDOVER_URL: scene.url,
  HANDOVER_CLIENT_ID: application.id,
  HANDOVER_CLIENT_SECRET: application.secret ?? '',
}
const api = await scene.appApi(application, 'sandbox')
const trigger = (args: string[], input?: string) => runCommand(triggerCommand, args, env, input)

test('--list prints every event, needs no login, and is JSON line by line when asked', async () => {
  const plain = await runCommand(triggerCommand, ['--list'])
  for (const [type, meaning] of Object.entries(EVENT_MEANINGS))
    assert.ok(plain.out.includes(type) && plain.out.includes(meaning))
  const json = await runCommand(triggerCommand, ['--list', '--json'])
  assert.equal(json.json().length, Object.keys(EVENT_MEANINGS).length)
})

test('without webhook and facility it says what is missing', async () => {
  assert.match((await trigger(['shift.created'])).failed ?? '', /No facility is connected/)
  assert.match((await trigger(['facility.creation.accepted'])).failed ?? '', /Nobody has allowed this application/)
})

test('the first facility that is connected, and nobody reached', async () => {
  const facility = await scene.facility('sandbox', application)
  const ran = await trigger(['shift.created'])
  assert.equal(ran.failed, null)
  assert.match(ran.out, new RegExp(`^shift\\.created {2}evt_\\w+ {2}at ${facility}$`))
  assert.match(ran.err, /^No webhook of this application gets it/)
})

test('an event reaches a webhook of the application, with example data, and what became of it is told', async () => {
  const facility = await scene.facility('sandbox', application)
  const hook = await scene.hook(api, { events: ['shift.cancelled'], facilities: [facility] })
  const ran = await trigger(['shift.cancelled', '--wait', '20'])
  assert.match(ran.out, new RegExp(`at ${facility}\n {2}→ ${hook.url} {2}dlv_\\w+ {2}delivered {2}1 attempt$`))
  await arrivalsBecome(hook, 1)
  const body = JSON.parse(only(hook.arrivals).body.toString())
  assert.equal(body.type, 'shift.cancelled')
  assert.equal(body.test, true)
  assert.equal(body.data.reason, 'A test')
})

test('a webhook that is deleted while it looks is left out', async () => {
  const facility = await scene.facility('sandbox', application)
  const answered = Promise.withResolvers<void>()
  const slow = await scene.hook(api, {
    events: ['shift.scheduled'],
    facilities: [facility],
    reply: (response) => {
      void answered.promise.then(() => response.writeHead(204).end())
    },
  })
  const deleted = await scene.hook(api, { events: ['shift.scheduled'], facilities: [facility] })
  const running = trigger(['shift.scheduled', '--facility', facility, '--wait', '20'])
  await Promise.all([arrivalsBecome(slow, 1), arrivalsBecome(deleted, 1)])
  assert.equal((await api.delete(deleted.path)).status, 204)
  answered.resolve()
  const ran = await running
  assert.equal(ran.failed, null)
  assert.ok(ran.out.includes(slow.url), ran.out)
})

test('data arrives to the byte: from the command line, a file and standard input', async () => {
  const facility = await scene.facility('sandbox', application)
  const hook = await scene.hook(api, { events: ['shift.scheduled'], facilities: [facility] })
  const data = '{"n":1e400,  "t":"\\u00fc"}'
  const file = join(folder, 'data.json')
  await writeFile(file, `${data}\n`)
  const ways: Array<[string[], string?]> = [[['--data', data]], [['--data-file', file]], [['--data', '-'], data]]
  for (const [more, input] of ways) {
    const ran = await trigger(['shift.scheduled', '--facility', facility, '--wait', '20', ...more], input)
    assert.equal(ran.failed, null)
  }
  await arrivalsBecome(hook, 3)
  for (const { body } of hook.arrivals) assert.ok(body.toString().endsWith(`"data":${data}}`))
})

test('an event about the first person who allowed the application; --json tells everything in one line', async () => {
  const person = await scene.person()
  await scene.db`
    insert into consents (user_id, application_id, audience, scope)
    values (${person}, ${application.id}, ${audienceOf('sandbox')}, '{}')`
  const hook = await scene.hook(api, { kind: 'user', events: ['facility.creation.rejected'] })
  const ran = await trigger(['facility.creation.rejected', '--json', '--wait', '20'])
  assert.equal(ran.failed, null)
  const [told] = ran.json()
  assert.ok(typeof told === 'object' && told !== null && 'deliveries' in told && Array.isArray(told.deliveries))
  assert.equal('userId' in told && told.userId, person)
  assert.equal(told.deliveries[0].webhookId, hook.id)
  assert.equal(told.deliveries[0].delivery.state, 'delivered')
})

const WRONG: Array<[args: string[], says: RegExp]> = [
  [[], /trigger takes one event/],
  [['shift.created', 'again'], /trigger takes one event/],
  [['shift.creatd'], /There is no event "shift.creatd"/],
  [['toString'], /There is no event/],
  [['shift.created', '--user', 'usr_1'], /is about a facility: give --facility, not --user/],
  [['shift.created', '--data', '{x'], /The data is not JSON/],
  [['shift.created', '--data', '{},"facilityId":"fac_other"'], /The data is not JSON/],
  [['shift.created', '--data', '{}', '--data-file', 'x'], /not both/],
  [['shift.created', '--data-file', '/nowhere/data.json'], /cannot be read/],
  [['shift.created', '--wait', 'long'], /--wait takes seconds/],
  [
    ['shift.created', '--facility', 'fac_x'],
    /^\/facilityId is not a facility that you may see\. \(422 wrong_fields, request req_\w+\)$/,
  ],
  [['shift.created', '--data', '[1]'], /^\/data /],
]
for (const [args, says] of WRONG) {
  test(`refused with what to do: trigger ${args.join(' ')}`, async () => {
    assert.match((await trigger(args)).failed ?? '', says)
  })
}

test('what a service says cannot change the terminal', async () => {
  const { failed } = await trigger(['\u001b[2J\u001b]0;owned\u0007'])
  assert.ok(failed !== null && !failed.includes('\u001b') && !failed.includes('\u0007'))
})
