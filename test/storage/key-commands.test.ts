import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import { newApplication } from '../../src/domain/applications/application.ts'
import { insertApplication } from '../../src/domain/applications/application-store.ts'
import { findRepetition, keepAnswer } from '../../src/domain/idempotency/idempotency-store.ts'
import { newTotpSecret, stepAt, totpCode } from '../../src/domain/users/totp.ts'
import { enrolTotp, useTotpCode } from '../../src/domain/users/totp-store.ts'
import { findWebhook, insertWebhook } from '../../src/domain/webhooks/webhook-store.ts'
import { createCipher } from '../../src/platform/cipher.ts'
import { runHandover } from '../harness/process.ts'
import { createTestDatabase } from '../harness/test-database.ts'

const oldKey = randomBytes(32).toString('base64')
const newKey = randomBytes(32).toString('base64')
const database = await createTestDatabase()
after(database.drop)

const env = {
  AUTH_URL: 'https://id.example.com',
  HANDOVER_HOST: '127.0.0.1',
  DATABASE_URL: database.url,
  PORT: '0',
  METRICS_PORT: '0',
}

async function command(
  args: string[],
  keys: Record<string, string>,
): Promise<{ code: unknown; out: string; err: string }> {
  const ran = runHandover(args, { ...env, ...keys })
  const code = await ran.ended
  return { code, out: ran.out(), err: ran.err() }
}

test('keys before the first start: one line that says what to do', async () => {
  const { code, err } = await command(['keys', 'list'], { HANDOVER_MASTER_KEY: oldKey })
  assert.equal(code, 1)
  assert.match(err, /^handover: This database has no keys yet: "handover serve" makes them/)
})

test('a running service, keys rotated beside it, and a new master key: tokens go on being signed', async () => {
  const first = runHandover(['serve'], { ...env, HANDOVER_MASTER_KEY: oldKey })
  const port = Number((await first.says(/"port":(\d+),/))[1])
  try {
    assert.deepEqual(await publishedStates(port, oldKey), { published: 3, states: ['current', 'current', 'current'] })

    assert.equal((await command(['keys', 'rotate'], { HANDOVER_MASTER_KEY: oldKey })).code, 0)
    assert.equal((await command(['keys', 'rotate'], { HANDOVER_MASTER_KEY: oldKey })).code, 0, 'again changes nothing')
    const rotated = await publishedStates(port, oldKey, 6)
    assert.deepEqual(rotated, { published: 6, states: ['current', 'next', 'current', 'next', 'current', 'next'] })

    const kid =
      /^RS256 +current +(\S+)/m.exec((await command(['keys', 'list'], { HANDOVER_MASTER_KEY: oldKey })).out)?.[1] ?? ''
    assert.match(
      (await command(['keys', 'remove', kid], { HANDOVER_MASTER_KEY: oldKey })).err,
      /still signs: run "handover keys rotate --now"/,
    )
    assert.match(
      (await command(['keys', 'remove', 'nobody'], { HANDOVER_MASTER_KEY: oldKey })).err,
      /There is no published key nobody/,
    )
    await database.db`update signing_keys set signs_until = now() where kid = ${kid}`
    assert.match((await command(['keys', 'remove', kid], { HANDOVER_MASTER_KEY: oldKey })).out, /trusted no more/)
    assert.equal((await publishedStates(port, oldKey, 5)).published, 5, 'the service publishes it no more')
    await database.db`delete from signing_keys where algorithm = 'RS256'`
  } finally {
    first.child.kill('SIGTERM')
    await first.ended
  }

  const authenticator = await enrolSomebody()
  const webhook = await registerWebhook()
  const both = { HANDOVER_MASTER_KEY: newKey, HANDOVER_MASTER_KEY_PREVIOUS: oldKey }
  const wrong = await command(['master-key', 'rotate'], { HANDOVER_MASTER_KEY: newKey })
  assert.match(wrong.err, /is not the one this database was encrypted with/)
  const done = await command(['master-key', 'rotate'], both)
  assert.match(
    done.out,
    /Encrypted again with master key [0-9a-f]{16}: 4 signing keys; secrets of one-time codes: 1; secrets of webhooks: 1\./,
  )
  assert.match((await command(['master-key', 'rotate'], both)).out, /already/)
  assert.match((await command(['keys', 'list'], { HANDOVER_MASTER_KEY: oldKey })).err, /is not the one/)
  assert.equal((await command(['keys', 'list'], { HANDOVER_MASTER_KEY: newKey })).code, 0)
  assert.ok(await authenticator.worksWith(newKey))
  assert.deepEqual(await webhook.readWith(newKey), {
    secrets: ['first', 'second'],
    kept: { status: 201, body: 'kept' },
  })
  await assert.rejects(webhook.readWith(oldKey), /not configured/)
})

/** Somebody with one-time codes, set up under the old master key. */
async function enrolSomebody(): Promise<{ worksWith: (masterKey: string) => Promise<boolean> }> {
  const { db } = database
  const userId = 'usr_somebody'
  await db`
    insert into users (id, role, email, email_folded, name)
    values (${userId}, 'NURSE_USER', 'somebody@example.com', 'somebody@example.com', 'Somebody')`
  const secret = newTotpSecret()
  await enrolTotp(db, cipherOf(oldKey), { userId, secret, step: 0, recoveryCodes: [] })
  const now = new Date()
  return {
    worksWith: (key) => useTotpCode(db, cipherOf(key), { userId, code: totpCode(secret, stepAt(now)), now }),
  }
}

/** A webhook with two secrets and an answer that was kept, set up under the old master key. */
async function registerWebhook(): Promise<{ readWith: (masterKey: string) => Promise<unknown> }> {
  const { db } = database
  const owner = { applicationId: 'app_some', environment: 'production' as const, userId: null }
  await insertApplication(db, newApplication({ id: 'app_some', name: 'Some', type: 'web' }))
  const fields = { url: 'https://partner.example/', events: ['all'], facilities: [], secrets: ['first', 'second'] }
  await insertWebhook(db, cipherOf(oldKey), { ...owner, ...fields, id: 'whk_some', kind: 'user' }, 1)
  const request = { scope: ['some'], body: '{}' }
  await keepAnswer(db, cipherOf(oldKey), request, { status: 201, body: 'kept' })
  return {
    readWith: async (key) => {
      const found = await findWebhook(db, cipherOf(key), owner, 'user', 'whk_some')
      const repeated = await findRepetition(db, cipherOf(key), request)
      return { secrets: found?.secrets, kept: repeated.kind === 'repeated' ? repeated.answer : repeated }
    },
  }
}

function cipherOf(masterKey: string) {
  return createCipher(Buffer.from(masterKey, 'base64'))
}

test('wrong words: one line', async () => {
  for (const args of [
    ['keys'],
    ['keys', 'dance'],
    ['keys', 'list', '--now'],
    ['keys', 'rotate', '--later'],
    ['master-key'],
  ]) {
    const { code, err } = await command(args, { HANDOVER_MASTER_KEY: newKey })
    assert.equal(code, 1, args.join(' '))
    assert.match(err, /^handover: [^\n]+\n$/)
  }
})

/** What the running service publishes, once it has heard of the change, and what the command lists. */
async function publishedStates(
  port: number,
  key: string,
  expected = 3,
): Promise<{ published: number; states: string[] }> {
  let published = 0
  for (let look = 0; look < 400 && published !== expected; look++) {
    const answer = await fetch(`http://127.0.0.1:${port}/oidc/.well-known/jwks.json`)
    published = (await answer.text()).split('"kid"').length - 1
    if (published !== expected) await new Promise((later) => setTimeout(later, 50))
  }
  const { out } = await command(['keys', 'list'], { HANDOVER_MASTER_KEY: key })
  const states = out
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split(/ +/)[1] ?? '')
  return { published, states }
}
