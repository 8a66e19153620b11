import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { loginCommand } from '../../src/cli/login.ts'
import { logoutCommand } from '../../src/cli/logout.ts'
import { storeLogin } from '../../src/cli/stored-login.ts'
import { triggerCommand } from '../../src/cli/trigger.ts'
import { commandLineCalls, decide } from '../harness/command-line-scene.ts'
import { startPortalScene } from '../harness/portal-scene.ts'
import { runHandover } from '../harness/process.ts'
import { quietPort } from '../harness/quiet-port.ts'
import { runCommand } from '../harness/run-command.ts'

const scene = await startPortalScene()
const folder = await mkdtemp(join(tmpdir(), 'handover-cli-'))
after(async () => {
  await scene.service.stop()
  await rm(folder, { recursive: true, force: true })
})
const { db, url } = scene
const {
  MACHINE_CLIENT_ID: machine = '',
  MACHINE_CLIENT_SECRET: secret = '',
  OFF_CLIENT_ID: off = '',
  OFF_CLIENT_SECRET: offSecret = '',
} = scene.service.demo
const ann = await scene.colleague('Ann Lee')
const team = await scene.team('Rota', [[ann, 'owner']])
const { application } = await scene.application(team)
const browser = await scene.signedIn(ann)
let homes = 0
/** A computer that nobody is logged in on. */
const newHome = () => ({ HANDOVER_URL: url, XDG_CONFIG_HOME: join(folder, `home-${(homes += 1)}`) })
const fileIn = ({ XDG_CONFIG_HOME }: { XDG_CONFIG_HOME: string }) => join(XDG_CONFIG_HOME, 'handover', 'login.json')

/** A computer that is logged in already, without a command that waits for it. */
async function loggedInHome() {
  const home = newHome()
  const key = await commandLineCalls(scene).key(browser, team, application)
  await storeLogin(home, { baseUrl: url, clientId: application, login: { by: 'browser', key } })
  return home
}

async function logIn(env: Record<string, string>, decision: 'allow' | 'deny' = 'allow') {
  const command = runHandover(['login', '--json'], env)
  const [page = ''] = await command.says(/http:\S+\/portal\/command-line\?code=\S+/)
  const [, code = ''] = await command.says(/Your code: {2}(\S+)/)
  assert.ok(page.endsWith(code))
  await decide(browser, page, decision, application)
  return { command, ended: await command.ended }
}

test('login by browser, used by the next command, and ended by logout', async () => {
  const home = newHome()
  const { command, ended } = await logIn(home)
  assert.equal(ended, 0, command.err())
  const told = JSON.parse(command.out())
  assert.equal(told.clientId, application)
  assert.equal(told.application, 'Shift planner')
  assert.equal((await stat(fileIn(home))).mode & 0o777, 0o600)
  const { login } = JSON.parse(await readFile(fileIn(home), 'utf8'))
  assert.match(login.key, /^hck_/)
  assert.ok(!`${command.out()}${command.err()}`.includes(login.key))

  const used = await runCommand(triggerCommand, ['shift.created', '--json'], home)
  assert.match(used.failed ?? '', /No facility is connected to this application/)

  const out = await runCommand(logoutCommand, [], home)
  assert.equal(out.out, `Logged out of ${url}.`)
  assert.equal((await db`select 1 from command_line_keys where application_id = ${application}`).length, 0)
  assert.match((await runCommand(triggerCommand, ['shift.created'], home)).failed ?? '', /^You are not logged in/)
  assert.equal((await runCommand(logoutCommand, [], home)).out, 'You were not logged in.')
})

test('a login that is denied says so and keeps nothing', async () => {
  const home = newHome()
  const { command, ended } = await logIn(home, 'deny')
  assert.equal(ended, 1)
  assert.match(command.err(), /The login was denied in the portal/)
  await assert.rejects(stat(fileIn(home)))
})

test('logging in again gives the key before back; a revoked one is said plainly', async () => {
  const home = await loggedInHome()
  assert.equal((await logIn(home)).ended, 0)
  const keys = await db`select id from command_line_keys where application_id = ${application}`
  assert.equal(keys.length, 1)
  await db`delete from command_line_keys where application_id = ${application}`
  const refused = await runCommand(triggerCommand, ['shift.created'], home)
  assert.match(refused.failed ?? '', /^Your login has ended: it was revoked or has expired/)
})

test('login by client secret, from standard input, tried before it is kept', async () => {
  const home = newHome()
  const by = (id: string, input: string) =>
    runCommand(loginCommand, ['--client-id', id, '--client-secret-stdin', '--json'], home, input)
  assert.match((await by(machine, 'wrong')).failed ?? '', /does not know this client id with this secret/)
  assert.match((await by(off, offSecret)).failed ?? '', /support has not turned client_credentials on/)
  assert.match((await by(machine, '')).failed ?? '', /is empty/)
  await assert.rejects(stat(fileIn(home)))
  const ran = await by(machine, `${secret}\n`)
  assert.equal(ran.failed, null)
  assert.ok(!`${ran.out}${ran.err}`.includes(secret))
  const used = await runCommand(triggerCommand, ['shift.created', '--wait', '0', '--json'], home)
  assert.equal(used.failed, null)
})

const WRONG: Array<[title: string, env: Record<string, string>, args: string[], says: RegExp]> = [
  ['a secret without an id', { HANDOVER_CLIENT_SECRET: 'x' }, [], /is set without HANDOVER_CLIENT_ID/],
  ['an id without a secret', { HANDOVER_CLIENT_ID: 'app_x' }, [], /HANDOVER_CLIENT_SECRET is missing for app_x/],
  ['http to somewhere else', { HANDOVER_URL: 'http://partner.example' }, [], /must begin with https/],
  ['an address with a path', { HANDOVER_URL: 'https://partner.example/api' }, [], /scheme, host and port alone/],
  ['no address', {}, ['--url', 'partner'], /--url takes an address/],
  ['an unknown environment', {}, ['--environment', 'test'], /--environment takes sandbox or production/],
  ['an unknown option', {}, ['--colour'], /Unknown option '--colour'/],
]
for (const [title, env, args, says] of WRONG) {
  test(`one clear sentence for ${title}`, async () => {
    const { failed } = await runCommand(triggerCommand, ['shift.created', ...args], { ...newHome(), ...env })
    assert.match(failed ?? '', says)
  })
}

test('one clear sentence when nobody is there, and when somebody else is', async () => {
  const credentials = { HANDOVER_CLIENT_ID: machine, HANDOVER_CLIENT_SECRET: secret }
  const nowhere = `http://127.0.0.1:${await quietPort()}`
  const away = await runCommand(triggerCommand, ['shift.created'], { ...credentials, HANDOVER_URL: nowhere })
  assert.ok(away.failed?.startsWith(`${nowhere} refused the connection: is the service running`), away.failed ?? '')
  const { RECEIVER_URL: other = '' } = scene.service.demo
  const strange = await runCommand(triggerCommand, ['shift.created'], { ...credentials, HANDOVER_URL: other })
  assert.match(strange.failed ?? '', /answered 40\d, which this service does not. Is this its address/)
})

test('a login by browser is for sandbox, for its service and for its application alone', async () => {
  const home = await loggedInHome()
  const trigger = (...args: string[]) => runCommand(triggerCommand, ['shift.created', ...args], home)
  assert.match((await trigger('--environment', 'production')).failed ?? '', /is for sandbox alone/)
  assert.match((await trigger('--url', 'https://partner.example')).failed ?? '', /You are logged in at/)
  assert.match((await trigger('--client-id', 'app_x')).failed ?? '', /You are logged in as/)
  await writeFile(fileIn(home), '{"baseUrl": 7}')
  assert.match((await trigger()).failed ?? '', /is damaged/)
})
