import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { codeOf, enrol } from '../harness/one-time-codes.ts'
import { PORTAL_PASSWORD } from '../harness/portal-scene.ts'
import { STAFF_PASSWORD, startSupportScene } from '../harness/support-scene.ts'
import { WebClient } from '../harness/web-client.ts'

// Every attempt to sign in leaves a line for the operator, right or wrong, and what was typed is not in it (record 95).

const scene = await startSupportScene()
after(scene.service.stop)

type Line = Record<string, unknown>

function attempts(since: number): Line[] {
  return scene.service.logged
    .slice(since)
    .map((line): Line => ({ ...JSON.parse(line) }))
    .filter((line) => line['msg'] === 'sign-in attempt')
}

/** Who, by what, how it ended, and whose account, of every attempt that `act` makes. */
async function attemptsOf(act: () => Promise<unknown>): Promise<unknown[][]> {
  const since = scene.service.logged.length
  await act()
  return attempts(since).map((line) => {
    assert.match(String(line['reqId']), /^req_[0-9a-f]{32}$/)
    assert.match(String(line['time']), /^20\d\d-.*Z$/)
    assert.equal(line['network'], '127.0.0.0/24')
    return [line['who'], line['by'], line['outcome'], line['account']]
  })
}

async function typeInto(path: string, ...forms: Array<Record<string, string>>): Promise<void> {
  const browser = new WebClient()
  let page = await browser.open(scene.url + path)
  for (const fields of forms) page = await browser.send(page, fields)
}

test('a person: a wrong name, a wrong password, the right one, and the one-time code', async () => {
  const phone = await enrol(scene.service, await idOf('nurse@example.com'))
  const { userId } = phone
  const password = scene.service.demo['DEMO_PASSWORD'] ?? ''
  const made = await attemptsOf(() =>
    typeInto(
      '/oidc/account',
      { username: 'nobody@example.com', password: 'x' },
      { username: 'nurse@example.com', password: 'x' },
      { username: 'nurse@example.com', password },
      { code: '000000' },
      { code: codeOf(phone) },
    ),
  )
  assert.deepEqual(made, [
    ['person', 'password', 'wrong', null],
    ['person', 'password', 'wrong', null],
    ['person', 'password', 'right', userId],
    ['person', 'one-time code', 'wrong', userId],
    ['person', 'one-time code', 'right', userId],
  ])
})

test('an integrator, and one who is turned away after too many', async () => {
  const ann = await scene.colleague()
  const { email } = ann
  const made = await attemptsOf(() =>
    typeInto('/portal/sign-in', { email, password: 'x' }, { email, password: PORTAL_PASSWORD }),
  )
  assert.deepEqual(made, [
    ['integrator', 'password', 'wrong', null],
    ['integrator', 'password', 'right', ann.id],
  ])
  const guesses = Array.from({ length: 11 }, () => ({ email, password: 'x' }))
  const turnedAway = await attemptsOf(() => typeInto('/portal/sign-in', ...guesses))
  assert.deepEqual(turnedAway.at(-1), ['integrator', 'password', 'too-many', null])
})

test('a member of staff', async () => {
  const agent = await scene.agent()
  const { email, id } = agent
  const made = await attemptsOf(() =>
    typeInto('/support/sign-in', { email, password: 'x' }, { email, password: STAFF_PASSWORD }, { code: '000000' }),
  )
  assert.deepEqual(made, [
    ['staff', 'password', 'wrong', null],
    ['staff', 'password', 'right', id],
    ['staff', 'one-time code', 'wrong', id],
  ])
})

test('a line is a line: whatever is typed or sent neither begins another nor stands in one', async () => {
  const since = scene.service.logged.length
  const forged = 'x@example.com\r\n{"level":30,"msg":"sign-in attempt","outcome":"right","account":"hunter2"}'
  await typeInto('/portal/sign-in', { email: forged, password: `hunter2${forged}` })
  await typeInto('/oidc/account', { username: `${forged}\u2028\u001b[2J`, password: 'hunter2' })
  await fetch(`${scene.url}/portal/%0d%0a%7B"msg":"hunter2-in-a-path"%7D`, { headers: { 'user-agent': 'a"b\\' } })
  const lines = scene.service.logged.slice(since)
  for (const line of lines) {
    assert.match(line, /^\{.*\}\n$/)
    assert.doesNotMatch(line.slice(0, -1), /\p{Cc}/u)
  }
  assert.deepEqual(
    attempts(since).map((line) => line['outcome']),
    ['wrong', 'wrong'],
  )
  assert.doesNotMatch(lines.filter((line) => !line.includes('"path"')).join(''), /hunter2/)
})

async function idOf(email: string): Promise<string> {
  const { db } = scene.service.deps
  const [row] = await db<Array<{ id: string }>>`select id from users where email_folded = ${email}`
  return row?.id ?? ''
}
