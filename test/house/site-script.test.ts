import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'

const PUBLIC = fileURLToPath(new URL('../../public', import.meta.url))
const scripts = readdirSync(PUBLIC).filter((name) => name.endsWith('.js'))
const text = scripts.map((name) => readFileSync(join(PUBLIC, name), 'utf8')).join('\n')

test('one script, at most 5 kB compressed (decision E2)', () => {
  assert.deepEqual(scripts, ['site.js'])
  assert.ok(gzipSync(text).length <= 5_000, `${gzipSync(text).length} bytes`)
})

test('no text becomes markup or code in it, and nothing is asked of another host (decision record 81)', () => {
  assert.doesNotMatch(
    text,
    /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|\bFunction\(|srcdoc|https?:/,
  )
})
