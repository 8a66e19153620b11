import assert from 'node:assert/strict'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { parseConfig } from '../../src/app/config.ts'
import { startDemo } from '../../src/app/demo/start-demo.ts'
import { facilitiesOfApplication, facilitiesOfUser } from '../../src/domain/facilities/facility-store.ts'
import { createLog } from '../../src/platform/log.ts'
import { secretHash } from '../../src/platform/opaque-secret.ts'
import { readEnvFile, startHandover } from '../harness/handover.ts'

const service = await startHandover()
after(service.stop)
const { demo, database } = service
const { db } = database

test('two nurse and two facility users with the demo password', async () => {
  const people = await db<Array<{ id: string; role: string; email: string; password_hash: string }>>`
    select id, role, email, password_hash from users order by role, email`
  assert.deepEqual(
    people.map(({ role }) => role),
    ['FACILITY_USER', 'FACILITY_USER', 'NURSE_USER', 'NURSE_USER'],
  )
  assert.ok(people.some(({ email }) => email === demo['NURSE_EMAIL']))
  assert.ok(people.some(({ email }) => email === demo['FACILITY_EMAIL']))
  for (const person of people) {
    assert.equal(await service.deps.passwords.verify(demo['DEMO_PASSWORD'] ?? '', person.password_hash), 'match')
  }
})

test('three facilities in each environment, with access for people and a connection for the machine application', async () => {
  const rows = await db<Array<{ environment: string; id: string }>>`select environment, id from facilities order by id`
  const of = (environment: string) =>
    rows
      .filter((row) => row.environment === environment)
      .map(({ id }) => id)
      .join(',')
  assert.equal(of('production'), demo['PROD_FACILITIES']?.split(',').toSorted().join(','))
  assert.equal(of('sandbox'), demo['SANDBOX_FACILITIES']?.split(',').toSorted().join(','))
  const [nurse] = await db<[{ id: string }]>`select id from users where email = ${demo['NURSE_EMAIL'] ?? ''}`
  assert.deepEqual(await facilitiesOfUser(db, 'sandbox', nurse.id), ['fac_sandbox_hillcrest', 'fac_sandbox_riverside'])
  assert.deepEqual(await facilitiesOfApplication(db, 'production', demo['MACHINE_CLIENT_ID'] ?? ''), [
    'fac_hillcrest',
    'fac_riverside',
  ])
})

test('five applications, each with the settings that its name in demo.env promises', async () => {
  const rows = await db`
    select id, type, client_credentials, password_grant, implicit, token_endpoint_authentication as auth from applications`
  const find = (name: string) => {
    const { id: _, ...settings } = rows.find(({ id }) => id === demo[name]) ?? { id: null }
    return { ...settings }
  }
  const defaults = { client_credentials: false, password_grant: false, implicit: false }
  assert.deepEqual(find('MACHINE_CLIENT_ID'), {
    ...defaults,
    type: 'machine',
    client_credentials: true,
    auth: 'either',
  })
  assert.deepEqual(find('OFF_CLIENT_ID'), { ...defaults, type: 'machine', auth: 'either' })
  assert.deepEqual(find('WEB_CLIENT_ID'), { ...defaults, type: 'web', auth: 'either' })
  assert.deepEqual(find('SPA_CLIENT_ID'), { ...defaults, type: 'spa', implicit: true, auth: 'none' })
  assert.deepEqual(find('TRUSTED_CLIENT_ID'), { ...defaults, type: 'web', password_grant: true, auth: 'either' })
  assert.equal(rows.length, 5)
  for (const name of ['MACHINE', 'OFF', 'WEB', 'TRUSTED']) {
    const [row] = await db<Array<{ application_id: string }>>`
      select application_id from application_secrets where secret_hash = ${secretHash(demo[`${name}_CLIENT_SECRET`] ?? '')}`
    assert.equal(row?.application_id, demo[`${name}_CLIENT_ID`])
  }
})

test('demo.env is for its owner only and can be read by a shell without quoting', async () => {
  const { mode } = await stat(join(service.dataFolder, 'demo.env'))
  assert.equal(mode & 0o777, 0o600)
  for (const value of Object.values(demo)) assert.match(value, /^[A-Za-z0-9_.,:/@-]+$/)
})

test('a later start on another port keeps every value, and the addresses follow the port', async () => {
  const config = parseConfig({
    HANDOVER_DEMO: '1',
    DATABASE_URL: database.url,
    HANDOVER_DATA_DIR: service.dataFolder,
    PORT: '0',
    METRICS_PORT: '0',
    RECEIVER_PORT: '0',
  })
  const again = await startDemo(config, { role: 'all', log: createLog('silent'), say: () => {} })
  const values = await readEnvFile(join(service.dataFolder, 'demo.env'))
  await again.stop()
  const moved = again.addresses.authUrl
  assert.notEqual(moved, service.url)
  const expected = Object.fromEntries(
    Object.entries(demo).map(([name, value]) => [name, value.replace(service.url, moved)]),
  )
  // The receiver has a port of its own, and any was asked for.
  assert.notEqual(values['RECEIVER_URL'], demo['RECEIVER_URL'])
  assert.deepEqual(values, { ...expected, RECEIVER_URL: values['RECEIVER_URL'] })
  const [web] = await db<[{ redirect_uris: string[]; post_logout_redirect_uris: string[] }]>`
    select redirect_uris, post_logout_redirect_uris from applications where id = ${demo['WEB_CLIENT_ID'] ?? ''}`
  assert.deepEqual(web.redirect_uris, [demo['WEB_REDIRECT_URI'], values['WEB_REDIRECT_URI']])
  assert.deepEqual(web.post_logout_redirect_uris, [`${service.url}/demo/client`, `${moved}/demo/client`])
  const [count] = await db<[{ people: number; secrets: number }]>`
    select (select count(*)::int from users) as people, (select count(*)::int from application_secrets) as secrets`
  assert.deepEqual({ ...count }, { people: 4, secrets: 4 })
})

test('everybody of the demo has the demo password, however little patience the service has', async () => {
  const hasty = await startHandover({ HANDOVER_LONGEST_WAIT_MS: '10' })
  try {
    const people = await hasty.database.db<Array<{ email: string; password_hash: string | null }>>`
      select email, password_hash from users
      union all select email, password_hash from integrators
      union all select email, password_hash from staff
      order by email`
    const expected = ['NURSE_EMAIL', 'FACILITY_EMAIL', 'PORTAL_EMAIL', 'SUPPORT_EMAIL'].map(
      (name) => demo[name] ?? name,
    )
    assert.deepEqual(
      people.map(({ email }) => email),
      [...expected, 'nurse2@example.com', 'facility2@example.com'].toSorted(),
    )
    for (const { email, password_hash: stored } of people) {
      assert.ok(stored !== null, `${email} has no password`)
      assert.equal(await service.deps.passwords.verify(hasty.demo['DEMO_PASSWORD'] ?? '', stored), 'match', email)
    }
  } finally {
    await hasty.stop()
  }
})
