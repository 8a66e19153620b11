import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { PlantedTree } from './planted-tree.ts'
import { riskyCallFaults } from './risky-calls.ts'

test('what is risky stands only where it was thought about', async () => {
  assert.deepEqual(await riskyCallFaults(join(import.meta.dirname, '../..')), [])
})

test('the check can fail', async () => {
  await using tree = await PlantedTree.plant({
    'src/platform/db.ts': 'export const wait = Math.random()\n',
    'src/domain/users/totp.ts': "createHmac('sha1', secret)\n",
  })
  assert.deepEqual(await riskyCallFaults(tree.root), [])
  await tree.write({
    'src/a.ts': 'export const a = eval(text)\n',
    'src/b.ts': "import { execFile } from 'node:child_process'\n",
    'src/c.ts': 'export const secret = Math.random()\n',
    'src/d.ts': "createHash('md5')\n",
    'src/e.ts': 'const tls = { rejectUnauthorized: false }\n',
    'src/f.ts': "createCipheriv('aes-256-cbc', key, iv)\n",
    'src/g.ts': "fetch(url, { redirect: 'follow' })\n",
    'src/h.ts': 'new RegExp(typed)\n',
    'src/i.ts': "spawn('ls', { shell: true })\n",
    'src/a.test.ts': 'eval(text)\n',
    'public/site.js': 'localStorage.token = 1\nwindow.onmessage = take\n',
  })
  assert.deepEqual(await riskyCallFaults(tree.root), [
    'src/a.ts: text that becomes code',
    'src/b.ts: another program',
    'src/c.ts: a random number that can be guessed',
    'src/d.ts: a hash that is broken',
    'src/e.ts: a certificate that is not checked',
    'src/f.ts: a cipher without authentication',
    'src/g.ts: a redirect that is followed',
    'src/h.ts: a pattern made of text',
    'src/i.ts: a shell',
    'public/site.js: something kept in the browser',
    'public/site.js: messages between windows',
  ])
})
