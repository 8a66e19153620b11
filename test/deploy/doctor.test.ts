import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { createServer as createSilent } from 'node:net'
import { after, test } from 'node:test'
import { doctorCommand } from '../../src/app/commands/doctor.ts'
import { ourMigrations } from '../../src/app/storage.ts'
import { newApplication } from '../../src/domain/applications/application.ts'
import { insertApplication } from '../../src/domain/applications/application-store.ts'
import { insertWebhook } from '../../src/domain/webhooks/webhook-store.ts'
import { createCipher } from '../../src/platform/cipher.ts'
import type { Db } from '../../src/platform/db.ts'
import { OperatorError } from '../../src/platform/operator-error.ts'
import { startDeployed } from '../harness/deployed.ts'
import { askDoctor } from '../harness/doctor.ts'
import { listening } from '../harness/listening.ts'
import { runHandover } from '../harness/process.ts'
import { makeDay, queueRows } from '../harness/queue-rows.ts'
import { quietPort } from '../harness/quiet-port.ts'
import { startSmtpServer } from '../harness/smtp-server.ts'
import { PATIENCE_MS, soon } from '../harness/soon.ts'
import { createTestDatabase } from '../harness/test-database.ts'

// A service whose public address is this stand-in for a proxy, so that a fault of either can be planted.
let answer: ((path: string) => string | null) | null = null
const proxy = createServer((request, response) => {
  const planted = answer?.(request.url ?? '/') ?? null
  if (planted !== null) return void response.end(planted)
  fetch(`${service.url}${request.url}`).then(
    async (inner) => response.writeHead(inner.status, Object.fromEntries(inner.headers)).end(await inner.text()),
    () => response.destroy(),
  )
})
const authUrl = `http://127.0.0.1:${await listening(proxy)}`
const metrics = await quietPort()
const KEY = Buffer.alloc(32, 3).toString('base64')
const service = await startDeployed({ AUTH_URL: authUrl, HANDOVER_TRUST_PROXY: 'off', METRICS_PORT: String(metrics) })
after(async () => {
  proxy.closeAllConnections()
  proxy.close()
  await service.stop()
})
const { db, url: databaseUrl } = service.database
const settings = {
  AUTH_URL: authUrl,
  DATABASE_URL: databaseUrl,
  HANDOVER_MASTER_KEY: KEY,
  HANDOVER_HOST: '127.0.0.1',
  METRICS_PORT: String(metrics),
}

test('a service that is well: everything is ok but what this test’s database really lacks', async () => {
  assert.ok(await soon(async () => (await askDoctor(settings)).of('workers')?.state === 'ok', PATIENCE_MS))
  const { findings, failed } = await askDoctor(settings)
  const faults = findings.filter(({ state }) => state === 'wrong' || state === 'warning').map(({ says }) => says)
  assert.deepEqual(
    faults.map((says) => says.split(' ')[0]),
    ['fsync', 'full_page_writes', 'synchronous_commit', 'there'],
    faults.join('\n'),
  )
  assert.match(faults.at(-1) ?? '', /no mail server/)
  assert.equal(failed, '2 things are wrong.')
})

test('lines for people: the state, the check, what was found, and below it what to do', async () => {
  const ran = runHandover(['doctor'], settings)
  assert.equal(await ran.ended, 1)
  assert.match(ran.out(), /^ok {7}configuration {6}it is right$/m)
  assert.match(ran.out(), /^wrong {4}database settings {2}fsync is off: .*\n {28}Switch fsync on\.$/m)
  assert.equal(ran.err(), 'handover: 2 things are wrong.\n')
})

test('a configuration that is not right: all of it, and nothing else', async () => {
  const { findings } = await askDoctor({ ...settings, PORT: 'x', HANDOVER_NONSENSE: '1' })
  assert.equal(findings.length, 1)
  assert.match(findings[0]?.says ?? '', /PORT must be[\s\S]*HANDOVER_NONSENSE is not a setting/)
})

test('a wrong master key, and one that is about to be replaced', async () => {
  const other = Buffer.alloc(32, 4).toString('base64')
  const wrong = await askDoctor({ ...settings, HANDOVER_MASTER_KEY: other })
  assert.match(wrong.of('master key')?.says ?? '', /key [0-9a-f]{16} does not open this database/)
  assert.ok(!wrong.text.includes(other))
  const underway = await askDoctor({ ...settings, HANDOVER_MASTER_KEY: other, HANDOVER_MASTER_KEY_PREVIOUS: KEY })
  assert.match(underway.of('master key')?.says ?? '', /a rotation is under way/)
  const left = await askDoctor({ ...settings, HANDOVER_MASTER_KEY_PREVIOUS: other })
  assert.match(left.of('master key')?.says ?? '', /the key before it is still configured/)
})

test('migrations that are missing, and a database that is newer', async () => {
  const database = await createTestDatabase()
  try {
    await database.db`delete from schema_migrations where number = ${(await ourMigrations()).length}`
    const older = await askDoctor({ ...settings, DATABASE_URL: database.url })
    assert.equal(older.of('migrations')?.advice, 'Run "handover migrate".')
    await database.db`insert into schema_migrations (number, name, checksum) values (9999, 'from-the-future', 'x')`
    const newer = await askDoctor({ ...settings, DATABASE_URL: database.url })
    assert.deepEqual(newer.states('migrations'), ['warning'])
  } finally {
    await database.drop()
  }
  const empty = await createTestDatabase('empty')
  try {
    const never = await askDoctor({ ...settings, DATABASE_URL: empty.url })
    assert.deepEqual(never.states('migrations', 'master key', 'delivery'), ['wrong', 'skipped', 'skipped'])
    const tables = await empty.db`select 1 from pg_tables where schemaname = 'public'`
    assert.equal(tables.length, 0, 'nothing was written')
  } finally {
    await empty.drop()
  }
})

test('a database that is down or says nothing: its own finding, and the rest is still told', async () => {
  const silent = createSilent(() => {})
  const port = await listening(silent)
  try {
    for (const place of ['127.0.0.1:1', `127.0.0.1:${port}`]) {
      const down = await askDoctor({ ...settings, DATABASE_URL: `postgres://u:hunter2@${place}/x` })
      assert.match(down.of('database')?.says ?? '', new RegExp(`The database "x" at ${place} cannot be used`))
      assert.deepEqual(down.states('everything stored', 'discovery', 'published keys'), ['skipped', 'ok', 'skipped'])
      assert.ok(!down.text.includes('hunter2'))
    }
  } finally {
    silent.close()
  }
})

test('settings of the database that break a promise, and too few connections', async () => {
  const name = new URL(databaseUrl).pathname.slice(1)
  await db.unsafe(`alter database ${name} set default_transaction_isolation = 'serializable'`)
  try {
    const env = { ...settings, HANDOVER_DATABASE_POOL: '1000', HANDOVER_DATABASE_PREPARE: 'off' }
    // A process of its own, which is told apart from the service by its number.
    const ran = runHandover(['doctor'], env)
    assert.equal(await ran.ended, 1)
    assert.match(ran.out(), /^wrong .* default_transaction_isolation is serializable/m)
    assert.match(ran.out(), /^warning .* 1 of our processes may want 1001$/m)
    assert.match(ran.out(), /^warning .* statement_timeout is not set/m)
    assert.match(ran.out(), /^skipped .* not seen behind PgBouncer/m)
  } finally {
    await db.unsafe(`alter database ${name} reset default_transaction_isolation`)
  }
})

test('mail: a server that takes us, one that refuses the password, one that is away, and a mail when asked', async () => {
  const smtp = await startSmtpServer()
  const mail = { HANDOVER_SMTP_URL: smtp.url, HANDOVER_MAIL_FROM: 'handover@example.com' }
  try {
    assert.deepEqual((await askDoctor({ ...settings, ...mail })).states('mail'), ['ok'])
    assert.equal(smtp.mails.length, 0)
    assert.match(
      (await askDoctor({ ...settings, ...mail }, '--mail-to', 'ops@example.com')).of('mail')?.says ?? '',
      /took a mail/,
    )
    assert.deepEqual(
      smtp.mails.map(({ to }) => to),
      ['ops@example.com'],
    )
    smtp.refuseLogins()
    const refused = await askDoctor({ ...settings, ...mail })
    assert.match(refused.of('mail')?.says ?? '', /^127\.0\.0\.1 refuses us: EAUTH 535$/)
    assert.ok(!/se%20cret|se cret/.test(refused.text))
  } finally {
    await smtp.close()
  }
  const away = await askDoctor({ ...settings, ...mail })
  assert.match(away.of('mail')?.says ?? '', /ESOCKET|ECONNECTION|ECONNREFUSED/)
})

test('a name that leads elsewhere: another issuer, other keys, another page, too old a cache', async () => {
  answer = () => JSON.stringify({ issuer: 'https://elsewhere.example/oidc', keys: [{ kid: 'theirs' }] })
  const elsewhere = await askDoctor(settings)
  assert.match(elsewhere.of('discovery')?.says ?? '', /the issuer there is https:\/\/elsewhere\.example\/oidc, here/)
  assert.match(elsewhere.of('published keys')?.says ?? '', /of the database are not among the 1 published/)
  assert.deepEqual(elsewhere.states('caching'), ['warning'])
  answer = () => '<h1>Welcome to nginx!</h1>'
  assert.match((await askDoctor(settings)).of('discovery')?.says ?? '', /not with our JSON/)
  answer = () => 'x'.repeat(1024 ** 2)
  assert.deepEqual((await askDoctor(settings)).states('discovery'), ['wrong'])
  answer = null
})

test('metrics of a busy process, however many; somebody else at their port; nobody', async () => {
  let said = `# HELP handover_x X\n${'handover_x{door="oidc"} 1\n'.repeat(40_000)}`
  const measuring = createServer((_, response) => response.end(said))
  const busy = { ...settings, METRICS_PORT: String(await listening(measuring)) }
  assert.deepEqual((await askDoctor(busy)).states('metrics'), ['ok'])
  said = 'go_goroutines 1\n'
  assert.deepEqual((await askDoctor(busy)).states('metrics'), ['warning'])
  measuring.closeAllConnections()
  measuring.close()
  assert.deepEqual((await askDoctor({ ...settings, METRICS_PORT: '1' })).states('metrics'), ['skipped'])
})

test('no worker, late deliveries and failing webhooks', async () => {
  const idle = await createTestDatabase()
  try {
    const env = { ...settings, DATABASE_URL: idle.url }
    assert.deepEqual((await askDoctor(env)).states('workers', 'lateness', 'failing webhooks'), ['wrong', 'ok', 'ok'])
    const webhook = await insertIdleWebhook(idle.db)
    // Nobody makes the days here, and it may be midnight before the rows are in.
    for (const daysAgo of [0, -1]) await makeDay(idle.db, daysAgo)
    await queueRows(idle.db, 3, { webhookId: webhook, dueInSeconds: -90 })
    await idle.db`
      update webhook_schedules set due_at = now() - interval '90 seconds', failing_since = now(), consecutive_failures = 2
      where webhook_id = ${webhook}`
    const late = await askDoctor(env)
    assert.match(late.of('lateness')?.says ?? '', /^the oldest delivery has been due for 9\d s$/)
    assert.match(
      late.of('failing webhooks')?.says ?? '',
      /^1 without a success since .*, 0 of them with an open circuit$/,
    )
  } finally {
    await idle.drop()
  }
})

test('signing keys that nobody replaced, or that none is current', async () => {
  const of = async (check: string) => (await askDoctor(settings)).of(check)
  assert.equal((await of('signing key EdDSA'))?.state, 'ok')
  await db`update signing_keys set signs_from = now() - interval '100 days' where algorithm = 'EdDSA'`
  assert.match((await of('signing key EdDSA'))?.says ?? '', /has signed for 100 days, and nobody has replaced it$/)
  await db`update signing_keys set signs_from = now() + interval '1 day' where algorithm = 'EdDSA'`
  assert.deepEqual([(await of('signing key EdDSA'))?.state, (await of('signing key ES256'))?.state], ['wrong', 'ok'])
  await db`update signing_keys set signs_from = now() where algorithm = 'EdDSA'`
})

test('nobody is dialled unless named, and who is not public is not called', async () => {
  assert.deepEqual((await askDoctor(settings)).states('egress', 'address guard'), ['skipped', 'ok'])
  const inner = await askDoctor(settings, '--egress', authUrl.replace('http:', 'https:'))
  assert.match(inner.of('egress')?.says ?? '', /is not called$/)
  assert.deepEqual((await askDoctor(settings, '--egress', 'partner')).states('egress'), ['wrong'])
})

test('variables of the surroundings that matter', async () => {
  const env = { ...settings, HTTPS_PROXY: 'http://user:hunter2@proxy:3128', NODE_TLS_REJECT_UNAUTHORIZED: '0' }
  const { of, text } = await askDoctor({ ...env, HANDOVER_TRUST_PROXY: '1' })
  assert.match(of('outgoing proxy')?.says ?? '', /^HTTPS_PROXY is set, but deliveries go out directly/)
  assert.equal(of('certificates')?.state, 'wrong')
  assert.match(of('proxy in front')?.says ?? '', /visitors can choose the address/)
  assert.ok(!text.includes('hunter2'))
})

test('a clock that is off, with the process that has it', async () => {
  const preload = new URL('../harness/shifted-clock.ts', import.meta.url).href
  const ran = runHandover(['doctor'], { ...settings, NODE_OPTIONS: `--import ${preload}`, CLOCK_SHIFT_MS: '-600000' })
  assert.equal(await ran.ended, 1)
  assert.match(ran.out(), /^wrong {4}clock {14}this machine is (?:599|600) s behind the database$/m)
  assert.match(ran.out(), /^warning {2}clock outside/m)
})

test('words that it does not know are refused before anything is looked at', async () => {
  const nobody = { env: settings, print: assert.fail, warn: assert.fail }
  for (const args of [['--loud'], ['--mail-to', 'nobody'], ['now']])
    await assert.rejects(doctorCommand.run(nobody, args), OperatorError)
})

async function insertIdleWebhook(on: Db): Promise<string> {
  await insertApplication(on, newApplication({ id: 'app_idle', name: 'Idle', type: 'web' }))
  const owner = { applicationId: 'app_idle', environment: 'sandbox' as const, userId: null }
  const fields = { url: 'https://partner.example/', events: ['all'], facilities: [], secrets: ['a secret'] }
  await insertWebhook(
    on,
    createCipher(Buffer.from(KEY, 'base64')),
    { ...owner, ...fields, id: 'whk_idle', kind: 'user' },
    1,
  )
  return 'whk_idle'
}
