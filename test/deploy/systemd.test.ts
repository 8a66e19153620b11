import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { settingFault } from '../harness/known-settings.ts'

const read = (name: string) => readFile(new URL(`../../deploy/systemd/${name}`, import.meta.url), 'utf8')
const UNITS = ['handover-web.service', 'handover-worker.service']
const missing =
  spawnSync('systemd-analyze', ['--version']).status !== 0 && 'systemd is not here; only the tests above read the units'

/** Every `NAME=value` of the Environment lines. */
function settingsIn(unit: string): Record<string, string> {
  const lines = [...unit.matchAll(/^Environment=(.*)$/gm)].flatMap(([, words = '']) => words.split(' '))
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]))
}

for (const name of UNITS)
  test(`${name}: known settings, secrets that are loaded, and time to stop in order`, async () => {
    const unit = await read(name)
    const settings = settingsIn(unit)
    assert.deepEqual(
      Object.keys(settings).flatMap((setting) => settingFault(setting) ?? []),
      [],
    )
    const loaded = new Set(
      [...unit.matchAll(/^LoadCredential=(\w+):\/etc\/handover\/\1$/gm)].map(([, secret]) => secret),
    )
    for (const [setting, value] of Object.entries(settings))
      if (setting.endsWith('_FILE')) assert.ok(loaded.has(value.replace('%d/', '')), setting)
    assert.match(unit, new RegExp(`^ExecStart=/opt/handover/bin/handover serve --only ${name.slice(9, -8)}$`, 'm'))
    assert.match(unit, /^TimeoutStopSec=30$/m)
  })

test('both fit on one machine, and differ in nothing else', async () => {
  const [web = '', worker = ''] = await Promise.all(UNITS.map(read))
  const [one, other] = [settingsIn(web), settingsIn(worker)]
  assert.notEqual(one['PORT'], other['PORT'])
  assert.notEqual(one['METRICS_PORT'], other['METRICS_PORT'])
  const rest = (unit: string) =>
    unit.split('\n').filter((line) => !/^(?:#|Description|ExecStart|Environment=NODE)/.test(line))
  assert.deepEqual(rest(web), rest(worker))
})

test('handover.env has known settings and no secret', async () => {
  const names = [...(await read('handover.env')).matchAll(/^([A-Z_]+)=/gm)].map(([, name = '']) => name)
  assert.deepEqual(
    names.flatMap((name) => settingFault(name) ?? []),
    [],
  )
  assert.ok(names.includes('AUTH_URL') && !names.includes('HANDOVER_MASTER_KEY'))
})

test('systemd takes the units, and finds little that they are exposed to', { skip: missing }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'handover-systemd-'))
  try {
    for (const name of UNITS) {
      const file = join(folder, name)
      // It wants programs and files that exist; ours are at their place on the machine that they are for.
      await writeFile(file, (await read(name)).replace('/opt/handover/bin/handover', '/bin/true'))
      const verified = spawnSync('systemd-analyze', ['verify', '--man=no', file], { encoding: 'utf8' })
      const faults = verified.stderr.split('\n').filter((line) => line.includes(name))
      assert.deepEqual(faults, [])
      const judged = spawnSync('systemd-analyze', ['security', '--offline=yes', '--no-pager', file], {
        encoding: 'utf8',
      })
      const exposure = Number(/Overall exposure level for \S+: ([\d.]+)/.exec(judged.stdout)?.[1])
      assert.ok(exposure <= 2, `${name}: ${exposure} of 10, from OK at 2 downwards\n${judged.stdout}`)
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
