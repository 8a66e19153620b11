import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { rotateKeys } from '../../src/domain/keys/signing-key-store.ts'
import { ask } from '../harness/answer.ts'
import { soon } from '../harness/soon.ts'
import { startTokenScene } from '../harness/token-scene.ts'

const scene = await startTokenScene()
after(scene.service.stop)
const url = `${scene.url}/oidc/.well-known/jwks.json`

async function published(): Promise<Array<Record<string, string>>> {
  const { keys } = (await ask(url)).body
  assert.ok(Array.isArray(keys))
  return keys
}

const MEMBERS = {
  RS256: ['alg', 'e', 'kid', 'kty', 'n', 'use'],
  ES256: ['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y'],
  EdDSA: ['alg', 'crv', 'kid', 'kty', 'use', 'x'],
}

test('200 one key of each algorithm at first, each with kid, alg and use, and only public members', async () => {
  const keys = await published()
  assert.equal(keys.length, 3)
  for (const [algorithm, members] of Object.entries(MEMBERS)) {
    const key = keys.find(({ alg }) => alg === algorithm)
    assert.ok(key)
    assert.deepEqual(Object.keys(key).toSorted(), members)
    assert.equal(key['use'], 'sig')
  }
})

test('RS256 has 2048 bits', async () => {
  const key = (await published()).find(({ alg }) => alg === 'RS256')
  assert.equal(Buffer.from(key?.['n'] ?? '', 'base64url').length, 256)
})

test('304 by its ETag; kept for five minutes, by any origin', async () => {
  const first = await ask(url)
  assert.equal(first.headers.get('cache-control'), 'public, max-age=300')
  assert.equal(first.headers.get('access-control-allow-origin'), '*')
  const etag = first.headers.get('etag') ?? ''
  assert.equal((await ask(url, { headers: { 'if-none-match': etag } })).status, 304)
})

test('a rotation publishes the next keys within a second, and the ETag changes', async () => {
  const before = await ask(url)
  const kids = (await published()).map(({ kid }) => kid)
  await rotateKeys(scene.db, scene.service.deps.cipher, 'tomorrow')
  assert.ok(await soon(async () => (await published()).length === 6))
  assert.notEqual((await ask(url)).headers.get('etag'), before.headers.get('etag'))
  const now = (await published()).map(({ kid }) => kid)
  assert.equal(new Set(now).size, 6)
  assert.ok(
    kids.every((kid) => now.includes(kid)),
    'the current ones stay',
  )
})
