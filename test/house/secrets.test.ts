import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { generateKeyPairSync, hash, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { ALLOWED_FINDS } from '../../scripts/secrets/allowed-finds.ts'
import { findSecrets } from '../../scripts/secrets/find-secrets.ts'
import { secretsInHistory } from '../../scripts/secrets/history.ts'
import { inWords, notAllowed, secretsInFiles } from '../../scripts/secrets/tracked-files.ts'
import { PlantedTree } from './planted-tree.ts'

const repository = join(import.meta.dirname, '../..')
const PATIENCE_MS = 60_000

test('no file of the repository has a secret in it, and every find that is allowed is still there', async () => {
  const { files, finds } = await secretsInFiles(repository)
  assert.ok(files > 1_000, `${files} files`)
  assert.deepEqual(notAllowed(finds, ALLOWED_FINDS).map(inWords), [])
  const found = new Set(finds.map(({ fingerprint }) => fingerprint))
  const gone = ALLOWED_FINDS.filter(({ fingerprint, onlyInHistory }) => !onlyInHistory && !found.has(fingerprint))
  assert.deepEqual(gone, [])
})

// Made anew each time, since a planted secret that stood here would be found itself.
const letters = (count: number) => 'k4Tz9QmW2xR7vB5nJ8pL3hD6fG1sYcKeAuZoHiV'.slice(0, count)
const random = (bytes: number) => randomBytes(bytes).toString('base64url')
const KEY = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey

const PLANTED: ReadonlyArray<[kind: string, text: () => string]> = [
  ['private key', () => KEY.export({ type: 'pkcs8', format: 'pem' }).toString()],
  ['private key', () => JSON.stringify({ key: KEY.export({ type: 'sec1', format: 'pem' }) })],
  ['private JWK', () => JSON.stringify(KEY.export({ format: 'jwk' }))],
  ['JWT', () => `curl -H "Authorization: Bearer eyJ${random(12)}.eyJ${random(40)}.${random(64)}"`],
  ['platform key or command-line key', () => `export KEY=hpk_${random(32)}`],
  ['platform key or command-line key', () => `{ "key": "hck_${random(32)}" }`],
  ['webhook secret', () => `secrets: ['whsec_${randomBytes(32).toString('base64')}']`],
  ['AWS key', () => `aws_access_key_id = AKIA${'Q7'.repeat(8)}`],
  ['GitHub token', () => `ghp_${letters(36)}`],
  ['GitLab token', () => `glpat-${letters(20)}`],
  ['npm token', () => `//registry.example/:_authToken=${letters(24)}`],
  ['Slack token', () => `xoxb-${letters(24)}`],
  ['Stripe key', () => `sk_live_${letters(24)}`],
  ['Google API key', () => `AIza${letters(35)}`],
  ['password in an address', () => `DATABASE_URL=postgres://handover:${letters(20)}@db.example/handover`],
  ['assigned secret', () => `const clientSecret = '${letters(32)}'`],
  ['assigned secret', () => `{ "smtp_password": "${letters(18)}" }`],
]
suite('a planted secret is found:', () => {
  for (const [kind, text] of PLANTED) {
    test(`${kind}, as in ${text().slice(0, 14)}…`, () => {
      const finds = findSecrets(`one line\n${text()}\n`)
      assert.ok(
        finds.some((find) => find.kind === kind && find.line >= 2),
        JSON.stringify(finds),
      )
    })
  }

  test('opaque secrets and master keys: of a thousand at most ten are missed for looking like words', () => {
    const digests = Array.from({ length: 1_000 }, (_, number) => hash('sha256', `${number}`, 'buffer'))
    const missed = (kind: string, encoding: BufferEncoding) =>
      digests.filter((digest) => findSecrets(`value ${digest.toString(encoding)}`).every((find) => find.kind !== kind))
    assert.ok(missed('opaque secret', 'base64url').length <= 10)
    assert.ok(missed('master key', 'base64').length <= 10)
  })
})

const HARMLESS = [
  'const password = form.get("password")',
  'client_secret=$MACHINE_CLIENT_SECRET',
  'secretOfTheApplication: "correct horse battery"',
  'postgres://user:password@host:5432/database',
  `"integrity": "sha512-${randomBytes(64).toString('base64')}"`,
  `webhook-signature: v1,${randomBytes(32).toString('base64')}`,
  `script-src 'sha256-${randomBytes(32).toString('base64')}'`,
  'a2c6e1f09b7d4c3e8f5a6b7c8d9e0f1a2b3c4d5e',
  'why-a-file-name-of-fortythree-letters-is-ok.ts',
]
test('what only speaks of secrets is no find', () => {
  assert.deepEqual(
    HARMLESS.filter((text) => findSecrets(text).length > 0),
    [],
  )
})

test('a secret that was committed and taken out again is found in the history, and allowed by its fingerprint alone', async () => {
  const secret = `hpk_${random(32)}`
  await using tree = await PlantedTree.plant({
    'notes.md': `the key is ${secret}\n`,
    'large.bin': 'x'.repeat(9_000_000),
  })
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], {
      cwd: tree.root,
      stdio: 'ignore',
    })
  git('init')
  assert.deepEqual(
    (await secretsInFiles(tree.root)).finds.map(({ where }) => where),
    ['notes.md:1'],
    'before it is added',
  )
  git('add', '.')
  git('commit', '-m', 'one')
  await tree.write({ 'notes.md': 'the key is elsewhere\n' })
  git('commit', '-am', `removes ${secret}`)

  assert.deepEqual((await secretsInFiles(tree.root)).finds, [])
  const { finds, tooLarge } = await secretsInHistory(tree.root, PATIENCE_MS)
  assert.deepEqual(finds.map(({ where }) => where.slice(13).replace(/:\d+$/, '')).toSorted(), ['(commit)', 'notes.md'])
  assert.match(tooLarge.join(), /large\.bin/)
  assert.ok(!finds.map(inWords).join().includes(secret), 'it is not printed')
  const fingerprint = finds[0]?.fingerprint ?? ''
  assert.deepEqual(notAllowed(finds, [{ fingerprint, reason: 'planted' }]), [])
})
