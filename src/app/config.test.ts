import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { parseConfig, parseStorageConfig } from './config.ts'

const KEY = Buffer.alloc(32, 7).toString('base64')
const DEPLOYED = {
  AUTH_URL: 'https://id.example.com',
  DATABASE_URL: 'postgres://h:p@db/handover',
  HANDOVER_MASTER_KEY: KEY,
}

const folder = mkdtempSync(join(tmpdir(), 'handover-config-'))
after(() => rmSync(folder, { recursive: true }))

test('with nothing set it is demo mode on loopback', () => {
  const config = parseConfig({})
  assert.equal(config.demo, true)
  assert.equal(config.host, 'localhost')
  assert.deepEqual([config.port, config.metricsPort, config.receiverPort], [4000, 9464, 4400])
  assert.equal(config.databaseUrl, null)
})

test('AUTH_URL or DATABASE_URL alone ends demo mode, HANDOVER_DEMO=1 forces it', () => {
  assert.equal(parseConfig(DEPLOYED).demo, false)
  assert.equal(parseConfig({ HANDOVER_DEMO: '1', DATABASE_URL: 'postgres://x/y' }).demo, true)
  assert.equal(parseConfig({ AUTH_URL: 'https://id.example.com', HANDOVER_MASTER_KEY: KEY }).demo, false)
})

test('everything that is wrong is listed in one error', () => {
  const env = {
    ...DEPLOYED,
    PORT: '70000',
    AUTH_URL: 'http://id.example.com/path',
    HANDOVER_MASTER_KEY: 'c2hvcnQ=',
    HANDOVER_LOG_LEVEL: 'loud',
    HANDOVER_TRUST_PROXY: '10.0.0.0/33',
    HANDOVER_MASTERKEY: 'x',
    HANDOVER_TYPO: '1',
    API_AUDIENCE_PROD: 'same',
    API_AUDIENCE_SANDBOX: 'same',
  }
  assert.throws(
    () => parseConfig(env),
    (error: Error) => {
      for (const name of [
        'PORT must be a whole number from 0 to 65535',
        'AUTH_URL must be an origin',
        'AUTH_URL must use https',
        'HANDOVER_MASTER_KEY must be 32 bytes',
        'HANDOVER_LOG_LEVEL must be one of',
        'HANDOVER_TRUST_PROXY must be',
        'HANDOVER_MASTERKEY is not a setting',
        'HANDOVER_TYPO is not a setting',
        'API_AUDIENCE_SANDBOX must differ',
      ]) {
        assert.ok(error.message.includes(name), `${name}\nnot in\n${error.message}`)
      }
      return true
    },
  )
})

test('what the commands of integrators read is passed over', () => {
  const theirs = ['URL', 'CLIENT_ID', 'CLIENT_SECRET', 'WEBHOOK_SECRET'].map((name) => [`HANDOVER_${name}`, 'x'])
  assert.equal(parseConfig(Object.fromEntries(theirs)).demo, true)
})

test('an error never repeats a value, which may be a secret', () => {
  const env = { HANDOVER_MASTER_KEY: 'hunter2', DATABASE_URL: 'mysql://u:hunter2@h', HANDOVER_PASSWORD: 'hunter2' }
  assert.throws(
    () => parseConfig(env),
    (error: Error) => !error.message.includes('hunter2'),
  )
})

const demoRefusals: Array<[string, Record<string, string>, RegExp]> = [
  ['a bind address that others can reach', { HANDOVER_HOST: '0.0.0.0' }, /HANDOVER_HOST must be a loopback address/],
  ['a public name for itself', { AUTH_URL: 'https://id.example.com' }, /AUTH_URL must be a loopback address/],
  ['NODE_ENV=production', { NODE_ENV: 'production' }, /NODE_ENV is production/],
  ['a proxy in front', { HANDOVER_TRUST_PROXY: '1' }, /HANDOVER_TRUST_PROXY must be off/],
]
for (const [what, env, message] of demoRefusals) {
  test(`demo mode refuses ${what}`, () => assert.throws(() => parseConfig({ HANDOVER_DEMO: '1', ...env }), message))
}

test('a deployment without its address or master key is refused', () => {
  assert.throws(
    () => parseConfig({ DATABASE_URL: 'postgres://x/y' }),
    /AUTH_URL must be set[\s\S]*HANDOVER_MASTER_KEY must be set/,
  )
})

test('the public API is at AUTH_URL unless BASE_URL says otherwise', () => {
  assert.equal(parseConfig(DEPLOYED).baseUrl, 'https://id.example.com')
  assert.equal(parseConfig({ ...DEPLOYED, BASE_URL: 'https://api.example.com/' }).baseUrl, 'https://api.example.com')
})

test('a secret can come from a file, but not from both', () => {
  const file = join(folder, 'key')
  writeFileSync(file, `${KEY}\n`)
  const { HANDOVER_MASTER_KEY: _, ...rest } = DEPLOYED
  assert.deepEqual(parseConfig({ ...rest, HANDOVER_MASTER_KEY_FILE: file }).masterKey, Buffer.alloc(32, 7))
  assert.throws(() => parseConfig({ ...DEPLOYED, HANDOVER_MASTER_KEY_FILE: file }), /set one of them/)
  assert.throws(
    () => parseConfig({ ...rest, HANDOVER_MASTER_KEY_FILE: join(folder, 'none') }),
    /HANDOVER_MASTER_KEY_FILE names a file that cannot be read/,
  )
})

test('mail needs a server and a sender', () => {
  const mail = {
    HANDOVER_SMTP_URL: 'smtps://u:p@mail.example.com',
    HANDOVER_MAIL_FROM: 'Handover <no-reply@example.com>',
  }
  assert.equal(parseConfig(DEPLOYED).mail, null)
  assert.deepEqual(parseConfig({ ...DEPLOYED, ...mail }).mail, {
    smtpUrl: 'smtps://u:p@mail.example.com',
    from: 'Handover <no-reply@example.com>',
  })
  const file = join(folder, 'smtp')
  writeFileSync(file, 'smtp://mail.example.com:587\n')
  const { HANDOVER_SMTP_URL: _, ...rest } = mail
  assert.equal(
    parseConfig({ ...DEPLOYED, ...rest, HANDOVER_SMTP_URL_FILE: file }).mail?.smtpUrl,
    'smtp://mail.example.com:587',
  )
  assert.throws(() => parseConfig({ ...DEPLOYED, ...rest }), /HANDOVER_SMTP_URL must be set too/)
  assert.throws(
    () => parseConfig({ ...DEPLOYED, HANDOVER_SMTP_URL: 'https://h', HANDOVER_MAIL_FROM: 'nobody' }),
    /HANDOVER_SMTP_URL must be a URL[\s\S]*HANDOVER_MAIL_FROM must be an address/,
  )
})

const proxies: Array<[string, unknown]> = [
  ['off', false],
  ['2', 2],
  ['10.0.0.1', ['10.0.0.1']],
  ['10.0.0.0/8, fd00::/8', ['10.0.0.0/8', 'fd00::/8']],
]
for (const [text, expected] of proxies) {
  test(`HANDOVER_TRUST_PROXY=${text} is understood`, () => {
    assert.deepEqual(parseConfig({ ...DEPLOYED, HANDOVER_TRUST_PROXY: text }).trustProxy, expected)
  })
}

test('migrating needs a database and nothing else', () => {
  assert.equal(parseStorageConfig({ DATABASE_URL: 'postgres://x/y' }).databaseUrl, 'postgres://x/y')
  assert.throws(
    () => parseStorageConfig({ DATABASE_URL: 'postgres://x/y', HANDOVER_NONSENSE: '1' }),
    /HANDOVER_NONSENSE/,
  )
})
