import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { OutOfTime, within } from './within.ts'

const never = new Promise<never>(() => {})

/** As a machine that has no time for us. */
function standStill(milliseconds: number): void {
  const end = performance.now() + milliseconds
  while (performance.now() < end);
}

test('what is answered in time is answered, whatever it is', async () => {
  assert.equal(await within(1_000, 'It', Promise.resolve('well')), 'well')
  await assert.rejects(within(1_000, 'It', Promise.reject(new Error('refused'))), /refused/)
})

test('what is not answered ends at the time we said, with what it was', async () => {
  const began = performance.now()
  await assert.rejects(within(50, 'Connecting', never), new OutOfTime('Connecting took longer than 50 ms'))
  assert.ok(performance.now() - began >= 49, 'not before')
})

test('time in which this process stood still is not held against who answers', async () => {
  // An answer in two steps, as of a server that is connected to first and then asked.
  const inTwoSteps = sleep(20).then(() => sleep(20, 'well'))
  const waited = within(200, 'It', inTwoSteps)
  standStill(400)
  assert.equal(await waited, 'well')
})
