import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { newPlatformKey } from '../../src/domain/platform-keys/platform-key.ts'
import { OPERATIONS } from '../../src/platform-api/operations.ts'
import { ask } from '../harness/answer.ts'
import { assertProblem, bodyWithoutRequestId } from '../harness/api-client.ts'
import { dataOf, platformAt, startPlatformScene } from '../harness/platform-scene.ts'
import { runHandover } from '../harness/process.ts'
import { startSecondProcess } from '../harness/second-process.ts'
import { PATIENCE_MS, soon } from '../harness/soon.ts'
import { createTestDatabase } from '../harness/test-database.ts'

const scene = await startPlatformScene()
after(scene.service.stop)
const { db, url, keys } = scene

async function command(args: string[], databaseUrl = scene.service.database.url) {
  const ran = runHandover(['platform-key', ...args], { DATABASE_URL: databaseUrl })
  const code = await ran.ended
  return { code, out: ran.out(), err: ran.err() }
}

async function newKey(environment: string, name = 'test'): Promise<{ key: string; id: string }> {
  const { code, out, err } = await command(['create', '--environment', environment, '--name', name])
  assert.equal(code, 0, err)
  return { key: out.trim(), id: /plk_[0-9a-f]{32}/.exec(err)?.[0] ?? '' }
}

test('401 for no key, a made-up one, or what is no key: always the same, and no word about why', async () => {
  const { access } = await scene.grant(await scene.application())
  const credentials = [
    null,
    'Bearer',
    'Bearer ',
    `Bearer ${newPlatformKey()}`,
    `Bearer ${keys.sandbox.slice(0, -1)}`,
    `Bearer ${keys.sandbox}x`,
    `Bearer ${keys.sandbox.toUpperCase()}`,
    `Bearer ${keys.sandbox.slice(4)}`,
    `Basic ${Buffer.from(`${keys.sandbox}:`).toString('base64')}`,
    keys.sandbox,
    `Bearer ${access}`,
    'Bearer hpk_',
    `Bearer hpk_${'a'.repeat(5_000)}`,
  ]
  const bodies = new Set<string>()
  for (const authorization of credentials) {
    const answer = await ask(`${url}/platform/v1/people/x?key=${keys.sandbox}`, {
      headers: authorization === null ? {} : { authorization },
    })
    assertProblem(answer, 401, 'unauthorized')
    assert.equal(answer.headers.get('www-authenticate'), 'Bearer realm="handover platform"')
    bodies.add(JSON.stringify(bodyWithoutRequestId(answer)))
  }
  assert.equal(bodies.size, 1)
})

test('401 before anything else is looked at, for every operation: the id, the query, the body', async () => {
  const stranger = platformAt(url, newPlatformKey())
  for (const { method, path } of OPERATIONS) {
    const address = `${path.replaceAll(/:\w+/g, '%20')}?unknown=1`
    const body = method === 'GET' ? null : '{"a":1,"a":2}'
    assertProblem(await stranger.raw(method, address, body), 401, 'unauthorized')
  }
  const tooLarge = new Uint8Array(9 * 1024 * 1024).fill(0x20)
  const answer = await stranger.raw('POST', '/people/batch', tooLarge).catch(() => null)
  if (answer !== null) assertProblem(answer, 401, 'unauthorized')
  assertProblem(await stranger.get('/nothing'), 404, 'not_found')
  assertProblem(await stranger.raw('PATCH', '/people/x', '{}'), 405, 'method_not_allowed')
})

test('the word Bearer in any case', async () => {
  const answer = await ask(`${url}/platform/v1/facilities/fac_sandbox_riverside`, {
    headers: { authorization: `bEARER ${keys.sandbox}` },
  })
  assert.equal(answer.status, 200)
})

test('demo.env has a key for each environment', async () => {
  assert.match(keys.sandbox, /^hpk_[\w-]{43}$/)
  assert.match(keys.production, /^hpk_[\w-]{43}$/)
  assert.equal(dataOf(await scene.sandbox.get('/facilities/fac_sandbox_riverside'))['environment'], 'sandbox')
  assert.equal(dataOf(await scene.production.get('/facilities/fac_riverside'))['environment'], 'production')
  assertProblem(await scene.sandbox.get('/facilities/fac_riverside'), 404, 'not_found')
})

test('a key is made by command, shown once, stored as a hash, and opens one environment', async () => {
  const { code, out, err } = await command(['create', '--environment', 'production', '--name', ' Back end, blue '])
  assert.equal(code, 0, err)
  assert.match(out, /^hpk_[\w-]{43}\n$/, 'nothing but the key, for scripts')
  assert.match(err, /^Key plk_[0-9a-f]{32} for production\. It is shown only now: only its hash is kept\.\n$/)
  const key = out.trim()
  assert.equal((await platformAt(url, key).get('/facilities/fac_riverside')).status, 200)
  assert.equal((await platformAt(url, key).get('/facilities/fac_sandbox_riverside')).status, 404)
  const rows = await db<Array<{ row: string }>>`select platform_keys::text as row from platform_keys`
  assert.ok(rows.some(({ row }) => row.includes('Back end, blue')))
  assert.ok(rows.every(({ row }) => !row.includes(key) && !row.includes(key.slice(4))))
  const listed = await command(['list'])
  assert.match(listed.out, /^id +environment +created \(UTC\) +last used +revoked +name\n/)
  assert.match(listed.out, /^plk_[0-9a-f]{32} +production +20\d\d-\S+ \S+ +\S.* +– +Back end, blue$/m)
  assert.ok(!listed.out.includes('hpk_') && !listed.err.includes('hpk_'))
})

test('a revoked key is refused at once, by every process, and stays refused', async () => {
  const { key, id } = await newKey('sandbox')
  const second = await startSecondProcess(scene.service)
  try {
    const status = async (at: string) => (await platformAt(at, key).get('/facilities/fac_sandbox_riverside')).status
    assert.deepEqual([await status(url), await status(second.url)], [200, 200])
    assert.match((await command(['revoke', id])).out, /^Key plk_\w+ is revoked/)
    assert.deepEqual([await status(url), await status(second.url)], [401, 401])
    assert.match((await command(['revoke', id])).out, /was revoked before/)
    assert.match((await command(['list'])).out, new RegExp(`^${id} +sandbox .* 20\\d\\d-\\S+ \\S+ +test$`, 'm'))
    assert.equal(await status(url), 401)
  } finally {
    await second.stop()
  }
})

test('when a key was last used is noted after the answer, once a minute', async () => {
  const { key, id } = await newKey('sandbox')
  const lastUse = async () =>
    (await db<Array<{ at: Date | null }>>`select last_used_at as at from platform_keys where id = ${id}`)[0]?.at ?? null
  assert.equal(await lastUse(), null)
  const platform = platformAt(url, key)
  await platform.get('/facilities/x')
  assert.ok(await soon(async () => (await lastUse()) !== null, PATIENCE_MS))
  const first = await lastUse()
  for (let use = 0; use < 5; use += 1) await platform.get('/facilities/x')
  assert.deepEqual(await lastUse(), first)
})

test('wrong words, an unknown key and a database that is not up to date: one line each', async () => {
  const empty = await createTestDatabase('empty')
  try {
    const cases: Array<[args: string[], says: RegExp, databaseUrl?: string]> = [
      [[], /platform-key takes create/],
      [['dance'], /platform-key takes create/],
      [['list', 'x'], /platform-key takes create/],
      [['revoke'], /platform-key takes create/],
      [['create'], /--environment takes production or sandbox/],
      [['create', '--environment', 'staging', '--name', 'x'], /--environment takes production or sandbox/],
      [['create', '--environment', 'sandbox'], /--name takes 1 to 100 characters/],
      [['create', '--environment', 'sandbox', '--name', 'a\nb'], /--name takes 1 to 100 characters/],
      [['create', '--environment', 'sandbox', '--name', 'x', '--key', 'y'], /--key/],
      [['revoke', 'plk_nobody'], /There is no platform key plk_nobody/],
      [['list'], /run "handover migrate" first/, empty.url],
    ]
    for (const [args, says, databaseUrl] of cases) {
      const { code, out, err } = await command(args, databaseUrl)
      assert.deepEqual([code, out], [1, ''], args.join(' '))
      assert.match(err, /^handover: [^\n]+\n$/)
      assert.match(err, says)
    }
  } finally {
    await empty.drop()
  }
})

test('200 GET /openapi.json without a key, with an ETag', async () => {
  const answer = await ask(`${url}/platform/v1/openapi.json`)
  assert.equal(answer.status, 200)
  const { paths, servers, security, components } = answer.body
  assert.deepEqual(servers, [{ url }])
  assert.deepEqual(security, [{ platformKey: [] }])
  assert.equal(Object.keys(paths ?? {}).length, new Set(OPERATIONS.map(({ path }) => path)).size)
  assert.doesNotMatch(JSON.stringify(components), /RateLimit|Idempotent/, 'what this door does not have is not in it')
  const again = await ask(`${url}/platform/v1/openapi.json`, {
    headers: { 'if-none-match': answer.headers.get('etag') ?? '' },
  })
  assert.equal(again.status, 304)
})
