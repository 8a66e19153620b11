import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { deliveriesCommand } from '../../src/cli/deliveries.ts'
import { readSince } from '../../src/cli/tail-deliveries.ts'
import { startCuttableProxy } from '../harness/cuttable-proxy.ts'
import { arrivalsBecome, deliveriesOf, only, startDeliveryScene, statesBecome } from '../harness/delivery-scene.ts'
import { runHandover } from '../harness/process.ts'
import { runCommand } from '../harness/run-command.ts'
import { PATIENCE_MS, soon } from '../harness/soon.ts'

const scene = await startDeliveryScene()
after(scene.stop)
const application = await scene.integrator()
const facility = await scene.facility('sandbox', application)
const env = {
  HANDOVER_URL: scene.url,
  HANDOVER_CLIENT_ID: application.id,
  HANDOVER_CLIENT_SECRET: application.secret ?? '',
}
const api = await scene.appApi(application, 'sandbox')
const run = (...args: string[]) => runCommand(deliveriesCommand, args, env)

test('show: the body that was sent, every attempt, and what the receiver answered, made harmless', async () => {
  const hook = await scene.hook(api, { reply: (response) => void response.writeHead(503).end('not now \u001b[2J') })
  const [event = ''] = await scene.happen('sandbox', facility)
  await arrivalsBecome(hook, 1)
  const { id } = only(await deliveriesOf(api, hook))
  assert.ok(await soon(async () => only(await deliveriesOf(api, hook)).attempts === 1, PATIENCE_MS))
  const { out, failed } = await run('show', id)
  assert.equal(failed, null)
  for (const shown of [id, event, hook.id, 'pending', 'Attempt 1', '503', 'not now \\u001b[2J', '"shift":0'])
    assert.ok(out.includes(shown), `${shown} in ${out}`)
  assert.ok(!out.includes('\u001b'))
  const [told] = (await run('show', id, '--json')).json()
  assert.ok(typeof told === 'object' && told !== null && 'attempts' in told && Array.isArray(told.attempts))
  assert.equal(told.attempts[0].status, 503)
  assert.equal((await api.delete(hook.path)).status, 204)
})

test('resend: one attempt more, and its answer', async () => {
  const hook = await scene.hook(api)
  await scene.happen('sandbox', facility)
  await arrivalsBecome(hook, 1)
  assert.ok(await soon(async () => only(await deliveriesOf(api, hook)).state === 'delivered', PATIENCE_MS))
  const { id } = only(await deliveriesOf(api, hook))
  const { out, failed } = await run('resend', id)
  assert.equal(failed, null)
  assert.match(out, /^delivered\nAttempt 2 .*\n {2}20\d {2}\d+ ms {2}resent by hand/)
  assert.equal(hook.arrivals.length, 2)
  assert.equal((await api.delete(hook.path)).status, 204)
})

test('404 in words for a delivery that is not there or somebody else’s', async () => {
  const other = await scene.integrator()
  const theirs = await scene.facility('sandbox', other)
  const asOther = await scene.appApi(other, 'sandbox')
  const hook = await scene.hook(asOther)
  await scene.happen('sandbox', theirs)
  await arrivalsBecome(hook, 1)
  const { id } = only(await deliveriesOf(asOther, hook))
  for (const unknown of [id, `dlv_${'0'.repeat(32)}`, '../../webhooks', 'dlv_%00'])
    for (const action of ['show', 'resend'])
      assert.match(
        (await run(action, unknown)).failed ?? '',
        /^(?:There is no such delivery|There is nothing at)/,
        unknown,
      )
})

test('tail: what is new and what changes, and what happened since; Ctrl-C ends it with 0', async () => {
  const hook = await scene.hook(api)
  await scene.happen('sandbox', facility)
  await statesBecome(api, hook, ['delivered'])
  const tail = runHandover(['deliveries', 'tail', '--json', '--webhook', hook.id], env)
  await tail.says(/Watching 1 webhook/)
  assert.equal(tail.out(), '')
  const [event = ''] = await scene.happen('sandbox', facility)
  await tail.says(new RegExp(`${event}.*"state":"delivered"`))
  tail.child.kill('SIGINT')
  assert.equal(await tail.ended, 0, tail.err())
  for (const line of tail.out().trim().split('\n')) assert.equal(JSON.parse(line).webhookId, hook.id)

  const since = runHandover(['deliveries', 'tail', '--since', '1h', '--webhook', hook.id], env)
  await since.says(new RegExp(`${event} {2}dlv_\\w+ {2}delivered {2}1 attempt`))
  since.child.kill('SIGTERM')
  assert.equal(await since.ended, 0, since.err())
  assert.equal(since.out().trim().split('\n').length, 2)
  assert.equal((await api.delete(hook.path)).status, 204)
})

test('tail: goes on when the service was away, and misses nothing', async () => {
  const proxy = await startCuttableProxy({ host: 'localhost', port: Number(new URL(scene.url).port) })
  const hook = await scene.hook(api)
  const tail = runHandover(['deliveries', 'tail', '--webhook', hook.id], {
    ...env,
    HANDOVER_URL: `http://127.0.0.1:${proxy.port}`,
  })
  await tail.says(/Watching 1 webhook/)
  await proxy.cut('refuse')
  await tail.says(/Connection lost, trying again/)
  const [event = ''] = await scene.happen('sandbox', facility)
  await proxy.mend()
  await tail.says(new RegExp(event))
  await tail.says(/The service is back/)
  tail.child.kill('SIGINT')
  assert.equal(await tail.ended, 0, tail.err())
  await proxy.close()
  assert.equal((await api.delete(hook.path)).status, 204)
})

test('tail: ends when nobody reads on', async () => {
  const hook = await scene.hook(api)
  const tail = runHandover(['deliveries', 'tail', '--webhook', hook.id], env)
  await tail.says(/Watching 1 webhook/)
  tail.child.stdout?.destroy()
  await scene.happen('sandbox', facility)
  assert.equal(await tail.ended, 0, tail.err())
  assert.equal((await api.delete(hook.path)).status, 204)
})

test('refused with what to do', async () => {
  assert.match((await run('tail', '--webhook', 'whk_x')).failed ?? '', /There is no webhook whk_x/)
  assert.match((await run('tail', '--since', 'soon')).failed ?? '', /--since takes/)
  assert.match((await run('show')).failed ?? '', /deliveries takes tail, show <id> or resend <id>/)
  assert.match((await run('list')).failed ?? '', /deliveries takes tail/)
})

test('since: a while ago, or a moment', () => {
  const now = new Date('2026-11-15T12:00:00Z')
  assert.equal(readSince('10m', now)?.toISOString(), '2026-11-15T11:50:00.000Z')
  assert.equal(readSince('1d', now)?.toISOString(), '2026-11-14T12:00:00.000Z')
  assert.equal(readSince('2026-11-15T08:00:00Z', now)?.toISOString(), '2026-11-15T08:00:00.000Z')
  assert.equal(readSince(undefined, now), null)
  for (const wrong of ['', '10', 'm', '-1m', '10 m', 'yesterday', '2026-99-99'])
    assert.throws(() => readSince(wrong, now))
})
