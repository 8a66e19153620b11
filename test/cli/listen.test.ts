import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { listenCommand } from '../../src/cli/listen/listen.ts'
import { startListenScene, verifies } from '../harness/listen-scene.ts'
import { runCommand } from '../harness/run-command.ts'

const scene = await startListenScene()
after(() => scene.stop())

test('forwards the original bytes and headers, prints the secret and a line for each, and reports the answer', async () => {
  const ann = await scene.integratorAtWork()
  const command = ann.listen()
  const [, secret = ''] = await command.says(/Verify with this secret: (whsec_\S+)/)
  await command.says(
    /Ready {2}forwarding to http:\/\/127\.0\.0\.1:\d+\/hooks as the listener "laptop"; 1 facility is connected/,
  )
  ann.program.reply = (response) => void response.writeHead(201, { 'x-mine': 'yes' }).end('thank you')
  const [eventId] = await ann.happen()
  const [arrival] = await ann.program.arrivalsBecome(1)
  assert.ok(arrival)
  verifies(arrival, secret)
  assert.equal(arrival.headers['user-agent'], 'Handover-Webhooks/1.0')
  await command.says(new RegExp(`\\d\\d:\\d\\d:\\d\\d {2}shift\\.created +${eventId} {2}→ 201 {2}\\d+ ms\\n`))
  const [delivery] = await ann.statesBecome(['delivered'])
  const [attempt] = await ann.attemptsOf(delivery?.id ?? '')
  assert.deepEqual(
    [attempt?.status, attempt?.responseBody, attempt?.url],
    [201, 'thank you', `http://${ann.program.address}`],
  )
  assert.match(attempt?.responseHead ?? '', /^x-mine: yes$/m)

  command.child.kill('SIGINT')
  assert.equal(await command.ended, 0)
  assert.match(command.err(), /Nothing waits on the server/)
})

test('--json: one value on a line', async () => {
  const ann = await scene.integratorAtWork()
  const command = ann.listen({ more: ['--json', '--events', 'shift.created'] })
  await command.says(/"ready"/)
  await ann.happen()
  await command.says(/"kind":"delivery"/)
  await ann.statesBecome(['delivered'])
  command.child.kill('SIGINT')
  assert.equal(await command.ended, 0)
  const values = command
    .out()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  // Whether it was still reporting when it was interrupted is a matter of milliseconds.
  const kinds = values.map(({ kind }) => kind).filter((kind) => kind !== 'finishing')
  assert.deepEqual(kinds, ['ready', 'delivery', 'ended'])
  assert.deepEqual([values[1].type, values[1].status, values[1].repetition], ['shift.created', 200, 'first'])
})

test('a program that does not run is said plainly, and is an answer', async () => {
  const ann = await scene.integratorAtWork()
  const listening = ann.listenHere()
  await listening.says(/Ready/)
  await ann.program.close()
  await ann.happen()
  await listening.says(/→ failed: nobody listens at 127\.0\.0\.1:\d+/)
  const [failed] = await ann.statesBecome(['failed'])
  const [attempt] = await ann.attemptsOf(failed?.id ?? '')
  assert.deepEqual([attempt?.status, attempt?.error], [null, 'connect'])
  listening.interrupt()
  assert.equal(await listening.ended, null)
})

test('an answer that is a redirect, or not 2xx, is that and no more', async () => {
  const ann = await scene.integratorAtWork()
  const listening = ann.listenHere()
  await listening.says(/Ready/)
  ann.program.reply = (response) => void response.writeHead(302, { location: '/elsewhere' }).end()
  await ann.happen()
  await listening.says(/→ 302/)
  await ann.statesBecome(['failed'])
  assert.equal(ann.program.arrivals.length, 1)
  listening.interrupt()
  await listening.ended
})

test('what happened while nobody listened is caught up, the oldest first', async () => {
  const ann = await scene.integratorAtWork()
  const first = ann.listenHere()
  await first.says(/Ready/)
  first.interrupt()
  await first.ended
  const events: string[] = []
  for (let shift = 0; shift < 12; shift += 1) events.push(...(await ann.happen()))
  const second = ann.listenHere()
  await second.says(/12 deliveries wait from before/)
  await second.says(/caught up 12 missed/)
  const arrivals = await ann.program.arrivalsBecome(12)
  assert.deepEqual(arrivals.map(({ eventId }) => eventId).toSorted(), events.toSorted())
  second.interrupt()
  assert.equal(await second.ended, null)
  assert.match(second.said(), /Nothing waits on the server/)
})

test('Ctrl-C finishes what is being forwarded', async () => {
  const ann = await scene.integratorAtWork()
  const listening = ann.listenHere()
  await listening.says(/Ready/)
  let answer = () => {}
  ann.program.reply = (response) => {
    answer = () => void response.end()
  }
  await ann.happen()
  await ann.program.arrivalsBecome(1)
  listening.interrupt()
  await listening.says(/waiting for 1 answer on the way/)
  answer()
  assert.equal(await listening.ended, null)
  await ann.statesBecome(['delivered'])
})

test('another listen of the same name takes over: the first ends, not with 0, and says so', async () => {
  const ann = await scene.integratorAtWork()
  const first = ann.listen()
  await first.says(/Ready/)
  const second = ann.listenHere()
  await second.says(/Ready/)
  assert.equal(await first.ended, 1)
  assert.match(first.err(), /^handover: Another "handover listen" took over the listener "laptop"/m)
  await ann.happen()
  await ann.program.arrivalsBecome(1)
  second.interrupt()
  await second.ended
})

test('ends with one sentence when it is refused: a wrong secret, a suspended application, a deleted listener', async () => {
  const ann = await scene.integratorAtWork()
  const wrong = ann.listen({ env: { HANDOVER_CLIENT_SECRET: 'not-it' } })
  assert.equal(await wrong.ended, 1)
  assert.match(wrong.err(), /^handover: .*secret.*\n$/)

  const deleted = ann.listenHere()
  await deleted.says(/Ready/)
  await ann.api.delete('/sandbox/listeners/laptop')
  assert.match(String(await deleted.ended), /The listener "laptop" was deleted/)

  const suspended = ann.listen()
  await suspended.says(/Ready/)
  await scene.db`update applications set suspended_at = now() where id = ${ann.application.id}`
  assert.equal(await suspended.ended, 1)
  assert.equal(suspended.err().trim().split('\n').length, 1, suspended.err())
})

test('--remove: the listener is gone, the listen that goes on is told, and what waited is cancelled', async () => {
  const ann = await scene.integratorAtWork()
  const run = (...args: string[]) => runCommand(listenCommand, ['--remove', ...args], ann.env)
  const listening = ann.listenHere()
  await listening.says(/Ready/)
  const removed = await run('--name', 'laptop')
  assert.deepEqual(
    [removed.failed, removed.out],
    [null, 'The listener "laptop" is removed, and what waited for it is cancelled.'],
  )
  assert.match(String(await listening.ended), /The listener "laptop" was deleted/)
  assert.equal((await ann.api.get('/sandbox/listeners/laptop')).status, 404)
  assert.deepEqual(await readdir(join(ann.env.XDG_STATE_HOME, 'handover')), [])
  assert.match((await run('--name', 'laptop')).failed ?? '', /no listener "laptop".*--name/)
  assert.match((await run('--forward-to', 'localhost:3000')).failed ?? '', /--remove goes with --name alone/)
})

test('what it cannot understand is said before anything is asked', async () => {
  const ann = await scene.integratorAtWork()
  for (const [more, words] of [
    [['--forward-to', 'ftp://localhost'], /--forward-to takes an address such as/],
    [['--forward-to', 'http://me:secret@localhost/'], /without credentials/],
    [['--name', 'Not A Name'], /--name must be/],
    [['--give-up-after', 'soon'], /--give-up-after takes/],
    [['--environment', 'production'], /sandbox alone/],
    [['--events', 'shift.exploded'], /must be one of|shift\.created/],
  ] as const) {
    const command = ann.listen({ more: [...more] })
    assert.equal(await command.ended, 1)
    assert.match(command.err(), words)
  }
})
