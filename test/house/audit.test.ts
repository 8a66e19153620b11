import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { ACCEPTED_ADVISORIES } from '../../scripts/audit/accepted-advisories.ts'
import type { Advisory, AuditAnswer } from '../../scripts/audit/ask-registry.ts'
import { judgeAudit } from '../../scripts/audit/judge-audit.ts'
import { listening } from '../harness/listening.ts'
import { PlantedTree } from './planted-tree.ts'

const repository = join(import.meta.dirname, '../..')

test('npm test asks for vulnerabilities', async () => {
  const manifest: { scripts: Record<string, string> } = JSON.parse(
    await readFile(join(repository, 'package.json'), 'utf8'),
  )
  assert.match(manifest.scripts['test'] ?? '', /npm run -s audit/)
  assert.match(manifest.scripts['audit'] ?? '', /scripts\/audit\.ts$/)
})

test('what is accepted has a reason and a day on which that ends', () => {
  for (const { id, reason, until } of ACCEPTED_ADVISORIES)
    assert.ok(id.startsWith('GHSA-') && reason.length > 20 && /^20\d\d-\d\d-\d\d$/.test(until), id)
})

suite('the command, at a registry of our own:', { concurrency: true }, () => {
  /** It knows of these vulnerabilities, by the name of the package, or answers with that status whatever it is asked. */
  async function withRegistry<Value>(
    known: object,
    run: (port: number) => Promise<Value>,
    status = 200,
  ): Promise<Value> {
    const registry = createServer((request, response) => {
      const name = request.url?.slice(1) ?? ''
      const packument = { name, 'dist-tags': { latest: '1.0.0' }, versions: { '1.0.0': { name, version: '1.0.0' } } }
      response.writeHead(status, { 'content-type': 'application/json' })
      request.on('end', () => response.end(JSON.stringify(request.method === 'POST' ? known : packument))).resume()
    })
    const port = await listening(registry)
    try {
      return await run(port)
    } finally {
      registry.closeAllConnections()
      registry.close()
    }
  }

  const advisory = (name: string, severity: string) => ({
    id: Buffer.from(name).readUInt32BE(),
    url: `https://advisories.example/GHSA-${name}`,
    title: `planted in ${name}`,
    severity,
    vulnerable_versions: '<2.0.0',
  })
  const integrity = `sha512-${Buffer.alloc(64, 1).toString('base64')}`
  const files = {
    'package.json': JSON.stringify({
      name: 'planted',
      dependencies: { left: '1.0.0' },
      devDependencies: { tool: '1.0.0' },
    }),
    'package-lock.json': JSON.stringify({
      name: 'planted',
      lockfileVersion: 3,
      packages: {
        '': { name: 'planted', dependencies: { left: '1.0.0' }, devDependencies: { tool: '1.0.0' } },
        'node_modules/left': { version: '1.0.0', integrity },
        'node_modules/tool': { version: '1.0.0', integrity, dev: true },
      },
    }),
  }

  /** A folder and a cache for each run: npm remembers advisories. */
  async function audit(port: number): Promise<{ code: number; output: string }> {
    await using tree = await PlantedTree.plant(files)
    const env = {
      ...process.env,
      npm_config_registry: `http://127.0.0.1:${port}/`,
      npm_config_cache: join(tree.root, 'cache'),
      npm_config_userconfig: join(tree.root, 'none'),
    }
    return await new Promise((resolve) => {
      const command = [join(repository, 'scripts/audit.ts')]
      execFile(process.execPath, command, { cwd: tree.root, env }, (error, stdout, stderr) =>
        resolve({ code: typeof error?.code === 'number' ? error.code : 0, output: stdout + stderr }),
      )
    })
  }

  test('green when it knows of nothing', async () => {
    const { code, output } = await withRegistry({}, audit)
    assert.equal(code, 0, output)
    assert.match(output, /^audit: what is delivered: no known vulnerabilities$/m)
    assert.match(output, /^audit: tools of development: no known vulnerabilities$/m)
  })

  test('red on a high one in what is delivered; one in a tool and a moderate one are said', async () => {
    const known = {
      left: [advisory('left', 'high'), advisory('other', 'moderate')],
      tool: [advisory('tool', 'critical')],
    }
    const { code, output } = await withRegistry(known, audit)
    assert.equal(code, 1, output)
    assert.match(output, /^audit: {3}STOPS high: left <2\.0\.0: planted in left \(GHSA-left\)$/m)
    assert.match(output, /^audit: {3}moderate: left .*GHSA-other/m)
    assert.match(output, /^audit: {3}critical: tool/m)
  })

  test('green, and said with the reason, when it takes no audits', async () => {
    const { code, output } = await withRegistry({}, audit, 405)
    assert.equal(code, 0, output)
    assert.match(output, /^audit: NOT DONE: the registry says 405 .*Nothing is known about vulnerabilities\.$/m)
    assert.doesNotMatch(output, /127\.0\.0\.1/, 'not its address')
  })

  test('green, and said with the reason, when nobody answers', async () => {
    const port = await withRegistry({}, (closed) => Promise.resolve(closed))
    const { code, output } = await audit(port)
    assert.equal(code, 0, output)
    assert.match(output, /^audit: NOT DONE: .*ECONNREFUSED/m)
  })
})

suite('judged:', () => {
  const serious: Advisory = { id: 'GHSA-1', name: 'left', severity: 'critical', title: 'planted', range: '<2' }
  const answer = (...advisories: Advisory[]): AuditAnswer => ({ outcome: 'answered', advisories })
  const today = '2026-11-15'
  const judge = (until: string) =>
    judgeAudit(answer(serious), answer(serious), { accepted: [{ id: 'GHSA-1', reason: 'not reached', until }], today })

  test('what is accepted is said, and stops nobody until its day is over', () => {
    assert.equal(judge('2026-11-15').red, false)
    assert.match(judge('2026-11-15').lines.join('\n'), /accepted until 2026-11-15: not reached/)
    assert.equal(judge('2026-11-14').red, true)
    assert.match(judge('2026-11-14').lines.join('\n'), /STOPS .* was accepted until 2026-11-14/)
  })

  test('a moderate one, and a serious one in a tool, stop nobody', () => {
    const moderate = { ...serious, id: 'GHSA-2', severity: 'moderate' }
    assert.equal(judgeAudit(answer(moderate), answer(moderate, serious), { accepted: [], today }).red, false)
  })

  test('what is accepted and gone is to be taken out', () => {
    const accepted = [{ id: 'GHSA-1', reason: 'not reached', until: '2030-01-01' }]
    assert.match(
      judgeAudit(answer(), answer(), { accepted, today }).lines.join('\n'),
      /GHSA-1 is accepted and no longer/,
    )
  })

  test('tools that could not be asked for are said', () => {
    const away: AuditAnswer = { outcome: 'not-done', reason: 'gone' }
    const { red, lines } = judgeAudit(answer(), away, { accepted: [], today })
    assert.equal(red, false)
    assert.match(lines.join('\n'), /tools of development: NOT DONE: gone/)
  })
})
