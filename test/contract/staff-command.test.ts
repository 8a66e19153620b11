import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { staffCommand } from '../../src/app/commands/staff.ts'
import { OperatorError } from '../../src/platform/operator-error.ts'
import { startDeployed } from '../harness/deployed.ts'
import { newAddress, pathOf } from '../harness/portal-scene.ts'
import { runHandover } from '../harness/process.ts'
import { STAFF_PASSWORD } from '../harness/support-scene.ts'
import { createTestDatabase } from '../harness/test-database.ts'
import { WebClient } from '../harness/web-client.ts'

const service = await startDeployed()
after(service.stop)
const { db } = service.database
const at = (path: string) => `${service.url}/support${path}`

/** As the operator's shell has it, with the service running. */
const ENV = {
  AUTH_URL: 'https://id.example.com',
  DATABASE_URL: service.database.url,
  HANDOVER_MASTER_KEY: Buffer.alloc(32, 3).toString('base64'),
}

/** The command itself, as main.ts runs it; what it prints, and what an operator is told when it cannot. */
async function run(args: string[], env: Record<string, string> = ENV) {
  const [out, err]: [string[], string[]] = [[], []]
  const terminal = { env, print: (text: string) => void out.push(text), warn: (text: string) => void err.push(text) }
  try {
    await staffCommand.run(terminal, args)
  } catch (error) {
    assert.ok(error instanceof OperatorError, String(error))
    return { code: 1, out: out.join('\n'), err: error.message }
  }
  return { code: 0, out: out.join('\n'), err: err.join('\n') }
}

const reset = (email: string, withoutSecondFactor = false) =>
  run(['reset', '--email', email, ...(withoutSecondFactor ? ['--second-factor'] : [])])

async function add(email: string): Promise<string> {
  const { code, out, err } = await run(['add', '--email', email, '--name', 'Sam Desk'])
  assert.equal(code, 0, err)
  return out.trim()
}

/** The link as this test reaches it. */
const here = (link: string) => link.replace('https://id.example.com', service.url)

test('add prints a link and nothing else; with it a password is chosen once, and then one signs in', async () => {
  const email = newAddress()
  const link = await add(email)
  assert.match(link, /^https:\/\/id\.example\.com\/support\/password\?secret=[\w-]{43}$/)
  const browser = new WebClient()
  const page = await browser.open(here(link))
  assert.equal((await browser.submit(page, { password: 'password' })).status, 400)
  const chosen = await browser.submit(page, { password: STAFF_PASSWORD })
  assert.match(chosen.text, /Your password is saved/)
  assert.equal((await browser.submit(page, { password: 'another long secret' })).status, 400)
  const signedIn = await browser.send(await browser.open(at('/sign-in')), { email, password: STAFF_PASSWORD })
  assert.equal(pathOf(signedIn), '/support/account/two-factor/set-up')
  const [entry] = await db<Array<{ actor_kind: string; actor_name: string; after: object }>>`
    select actor_kind, actor_name, after from audit_log where action = 'staff.added' and after ->> 'email' = ${email}`
  assert.deepEqual(entry, {
    actor_kind: 'command',
    actor_name: 'handover staff add',
    after: { email, name: 'Sam Desk' },
  })
})

test('of two uses of a link at once one wins; after a day it is dead; its secret is stored nowhere', async () => {
  const email = newAddress()
  const link = await add(email)
  const secret = new URL(link).searchParams.get('secret') ?? ''
  const [row] = await db<[{ hours: number; stored: string }]>`
    select extract(epoch from expires_at - now())::float / 3600 as hours, encode(secret_hash, 'base64') as stored
    from staff_password_resets join staff on staff.id = staff_id where email = ${email}`
  assert.ok(row.hours > 23 && row.hours <= 24)
  assert.ok(!row.stored.includes(secret))
  const browser = new WebClient()
  const page = await browser.open(here(link))
  const answers = await Promise.all(
    ['first long secret', 'second long secret'].map((password) => browser.submit(page, { password })),
  )
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200, 400]))
  const late = await add(newAddress())
  await db`update staff_password_resets set expires_at = now()`
  assert.equal((await browser.open(here(late))).status, 400)
})

test('reset closes the account until the new link is used; the second factor stays unless it is said otherwise', async () => {
  const email = newAddress()
  const link = await add(email)
  await db`
    insert into staff_totp_secrets (staff_id, secret_sealed, last_step)
    select id, '\\x00', 0 from staff where email = ${email}`
  const browser = new WebClient()
  await browser.submit(await browser.open(here(link)), { password: STAFF_PASSWORD })
  const first = await reset(email.toUpperCase())
  assert.equal(first.code, 0, first.err)
  const wrong = await browser.submit(await browser.open(at('/sign-in')), { email, password: STAFF_PASSWORD })
  assert.equal(wrong.status, 400)
  const again = await reset(email, true)
  assert.equal((await browser.open(here(first.out))).status, 400, 'another link was printed since')
  const page = await browser.open(here(again.out))
  assert.equal((await browser.submit(page, { password: 'another long secret' })).status, 200)
  const rows = await db`select 1 from staff_totp_secrets join staff on staff.id = staff_id where email = ${email}`
  assert.equal(rows.length, 0)
  const entries = await db<Array<{ removed: string }>>`
    select after ->> 'secondFactorRemoved' as removed from audit_log
    where action = 'staff.reset' and after ->> 'email' = ${email} order by id`
  assert.deepEqual(
    entries.map(({ removed }) => removed),
    ['false', 'true'],
  )
})

test('remove signs them out at once; list shows who is there', async () => {
  const email = newAddress()
  const browser = new WebClient()
  await browser.submit(await browser.open(here(await add(email))), { password: STAFF_PASSWORD })
  await browser.submit(await browser.open(at('/sign-in')), { email, password: STAFF_PASSWORD })
  assert.equal((await browser.get(at('/account/two-factor/set-up'))).status, 200)
  const list = await run(['list'])
  assert.match(list.out, new RegExp(`${email} +yes +no +\\d{4}-`))
  assert.equal((await run(['remove', '--email', email])).code, 0)
  assert.equal((await browser.get(at('/account/two-factor/set-up'))).location, at('/sign-in'))
  assert.ok(!(await run(['list'])).out.includes(email))
  assert.equal(
    (await db`select 1 from audit_log where action = 'staff.removed' and before ->> 'email' = ${email}`).length,
    1,
  )
})

test('one clear sentence for what an operator can mend, and nothing printed', async () => {
  const email = newAddress()
  await add(email)
  const empty = await createTestDatabase('empty')
  after(empty.drop)
  const adding = (address: string, ...rest: string[]) => ['add', '--email', address, ...rest]
  const unknown = newAddress()
  const cases: Array<[args: string[], words: RegExp, env?: Record<string, string>]> = [
    [adding(email, '--name', 'Sam'), /has an account already/],
    [adding('not an address', '--name', 'Sam'), /--email takes an address/],
    [adding(unknown, '--name', 'S\u202em'), /--name takes 1 to 100 characters/],
    [adding(unknown), /--name takes/],
    [['remove', '--email', unknown], /There is no account of staff/],
    [['reset', '--email', unknown], /There is no account/],
    [['list'], /not up to date/, { ...ENV, DATABASE_URL: empty.url }],
    [adding(unknown, '--name', 'Sam'), /AUTH_URL/, { DATABASE_URL: service.database.url }],
  ]
  for (const [args, words, env] of cases) {
    const { code, out, err } = await run(args, env)
    assert.deepEqual([code, out], [1, ''])
    assert.match(err, words)
  }
  const rows = await db`select 1 from staff where email = ${unknown}`
  assert.equal(rows.length, 0)
})

test('the command line takes no password, and says what it takes', async () => {
  const wrong = runHandover(['staff', 'add', '--email', newAddress(), '--password', 'x'], ENV)
  assert.equal(await wrong.ended, 1)
  assert.match(wrong.err(), /Unknown option '--password'/)
  const list = runHandover(['staff', 'list'], ENV)
  assert.equal(await list.ended, 0, list.err())
})
