// What scripts/set-up.mjs does to a folder, with an npm that only pretends; the true one needs a network.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { suite, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'

const scripts = join(import.meta.dirname, '../../scripts')
const repairs = 'rebuild node --ignore-scripts=false'

/** Each runs in place of npm, in sh, with $root the folder and no other program on its PATH. */
const installs = `
  /bin/mkdir -p "$root/node_modules/.bin" "$root/node_modules/node"
  echo '{}' > "$root/node_modules/node/package.json"
  printf '#!/bin/sh\\necho v24.1.0\\n' > "$root/node_modules/.bin/node"
  /bin/chmod +x "$root/node_modules/.bin/node"
  /bin/cp "$root/package-lock.json" "$root/node_modules/.package-lock.json"`
const fails = (...lines: string[]) =>
  `printf '%s\\n' ${lines.map((line) => `'npm error ${line}'`).join(' ')} >&2; exit 1`

class Folder {
  readonly root: string

  private constructor(root: string) {
    this.root = root
  }

  static async make(npm: string): Promise<Folder> {
    const folder = new Folder(join(await mkdtemp(join(tmpdir(), 'handover-set-up-')), 'a clone'))
    await cp(join(scripts, 'set-up'), join(folder.root, 'scripts/set-up'), { recursive: true })
    await cp(join(scripts, 'set-up.mjs'), join(folder.root, 'scripts/set-up.mjs'))
    await folder.lock({ 'node_modules/node': { version: '24.1.0', integrity: 'sha512-a' } })
    await writeFile(join(folder.root, 'package.json'), '{}')
    await folder.program('npm', npm)
    return folder
  }

  async lock(packages: Record<string, object>): Promise<void> {
    await writeFile(join(this.root, 'package-lock.json'), JSON.stringify({ packages: { '': {}, ...packages } }))
  }

  async program(name: string, script: string): Promise<void> {
    await mkdir(join(this.root, 'bin'), { recursive: true })
    const log = `root='${this.root}'; echo "${name} $*" >> "$root/calls"`
    await writeFile(join(this.root, 'bin', name), `#!/bin/sh\n${log}\n${script}\n`)
    await chmod(join(this.root, 'bin', name), 0o755)
  }

  start(...args: string[]) {
    const env = { PATH: join(this.root, 'bin'), HOME: this.root }
    return spawn(process.execPath, [join(this.root, 'scripts/set-up.mjs'), ...args], { env, cwd: '/' })
  }

  async setUp(...args: string[]): Promise<{ code: number | null; said: string[]; calls: string[] }> {
    await rm(join(this.root, 'calls'), { force: true })
    return this.run(...args)
  }

  /** With the calls before it still written down. */
  async run(...args: string[]): Promise<{ code: number | null; said: string[]; calls: string[] }> {
    const child = this.start(...args)
    let said = ''
    child.stdout.on('data', (chunk: Buffer) => {
      said += chunk.toString()
    })
    child.stderr.on('data', (chunk: Buffer) => {
      said += chunk.toString()
    })
    const code = await new Promise<number | null>((resolve) => child.on('close', resolve))
    return { code, said: said.split('\n').filter((line) => line !== ''), calls: await this.calls() }
  }

  /** The programs that were called, without the options that are always the same. */
  async calls(): Promise<string[]> {
    const log = await readFile(join(this.root, 'calls'), 'utf8').catch(() => '')
    const lines = log.split('\n').filter((line) => line !== '')
    return lines.map((line) => line.replace(/ --fetch-retries.*/, '').replace(/ --include=(optional|peer)/g, ''))
  }

  /** Until the lock names our set-up and its npm. */
  async npmIsNoted(): Promise<void> {
    for (let lock = ''; !lock.includes(' '); await setTimeout(10))
      lock = await readFile(join(this.root, '.set-up.lock'), 'utf8').catch(() => '')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(dirname(this.root), { recursive: true, force: true })
  }
}

const quiet = { code: 0, said: [], calls: [] }
const installed = { code: 0, said: ['set-up: installing packages (npm ci) …'], calls: ['npm ci'] }

suite('set-up', { concurrency: true }, () => {
  test('installs packages into a fresh clone, and then has nothing to do', async () => {
    await using folder = await Folder.make(installs)
    assert.deepEqual(await folder.setUp(), installed)
    assert.deepEqual(await folder.setUp(), quiet)
    assert.ok(!(await readdir(folder.root)).includes('.set-up.lock'))
  })

  test('installs again when the lock file asks for something else', async () => {
    await using folder = await Folder.make(installs)
    await folder.setUp()
    await folder.lock({ 'node_modules/node': { version: '24.2.0', integrity: 'sha512-b' } })
    assert.deepEqual(await folder.setUp(), installed)
    assert.deepEqual(await folder.setUp(), quiet)
  })

  test('installs again when an install was cut short', async () => {
    await using folder = await Folder.make(installs)
    await folder.setUp()
    await rm(join(folder.root, 'node_modules/.package-lock.json'))
    assert.deepEqual(await folder.setUp(), installed)
    await rm(join(folder.root, 'node_modules/node'), { recursive: true })
    assert.deepEqual(await folder.setUp(), installed)
  })

  test('installs again when the packages are those of another kind of machine', async () => {
    await using folder = await Folder.make(installs)
    const os = process.platform === 'linux' ? 'darwin' : 'linux'
    await folder.lock({ 'node_modules/node': { version: '24.1.0', os: [os] } })
    await folder.setUp()
    assert.deepEqual(await folder.setUp(), installed)
  })

  test('leaves optional packages of other machines alone', async () => {
    await using folder = await Folder.make(installs)
    await folder.setUp()
    const other = { version: '1.0.0', optional: true, cpu: ['mips'] }
    await folder.lock({
      'node_modules/node': { version: '24.1.0', integrity: 'sha512-a' },
      'node_modules/other': other,
    })
    assert.deepEqual(await folder.setUp(), quiet)
  })

  test('wants the packages of the tests only for the tests', async () => {
    await using folder = await Folder.make(installs)
    await folder.program('chromium', '')
    await folder.setUp()
    await folder.lock({
      'node_modules/node': { version: '24.1.0', integrity: 'sha512-a' },
      'node_modules/judge': { version: '1.0.0', dev: true },
    })
    assert.deepEqual(await folder.setUp(), quiet)
    assert.deepEqual((await folder.setUp('--tests')).calls, ['npm ci --include=dev'])
  })

  test('fetches Node again when node_modules/.bin/node is not the right one', async () => {
    await using folder = await Folder.make(`case $1 in ci) ${installs} ;; rebuild) ${installs} ;; esac`)
    await folder.setUp()
    for (const wrong of ['#!/bin/sh\necho v20.1.0\n', '#!/bin/sh\nexit 1\n', 'no program']) {
      await writeFile(join(folder.root, 'node_modules/.bin/node'), wrong)
      const said = ['set-up: fetching Node 24 (npm rebuild node) …']
      assert.deepEqual(await folder.setUp(), { code: 0, said, calls: [`npm ${repairs}`] })
    }
    assert.deepEqual(await folder.setUp(), quiet)
  })

  test('says in one line that Node cannot be had', async () => {
    const oldNode = `printf '#!/bin/sh\\necho v20.1.0\\n' > "$root/node_modules/.bin/node"`
    await using folder = await Folder.make(`${installs}\n${oldNode}`)
    const { code, said, calls } = await folder.setUp()
    assert.deepEqual({ code, calls }, { code: 1, calls: ['npm ci', `npm ${repairs}`] })
    assert.equal(
      said.at(-1),
      'set-up: node_modules/.bin/node should be Node 24, but it is v20.1.0; remove node_modules and try again',
    )
  })

  const refusals = [
    {
      name: 'no network',
      npm: fails('code 1', 'command failed', 'code EAI_AGAIN', 'A complete log of this run can be found in: /x'),
      says: 'npm does not reach its registry (EAI_AGAIN); check network and proxy, then try again',
    },
    {
      name: 'a folder of somebody else',
      npm: fails('code EACCES', 'syscall mkdir', 'path /a b/node_modules', 'errno -13', 'Error: EACCES'),
      says: 'npm may not write /a b/node_modules; make it yours (chown) and try again',
    },
    { name: 'a full disk', npm: fails('code ENOSPC'), says: 'the disk is full; make room and try again' },
    {
      name: 'a lock file out of step',
      npm: fails('code EUSAGE', '', '`npm ci` can only install packages when'),
      says: 'package-lock.json does not match package.json; run npm install',
    },
    { name: 'anything else', npm: fails('code EWHAT', 'a reason', 'and more'), says: 'npm failed: a reason' },
    { name: 'no word', npm: 'exit 7', says: 'npm failed: it says nothing' },
  ]
  for (const { name, npm, says } of refusals) {
    test(`says in one line why npm failed: ${name}`, async () => {
      await using folder = await Folder.make(npm)
      const { code, said } = await folder.setUp()
      assert.deepEqual({ code, said }, { code: 1, said: [...installed.said, `set-up: ${says}`] })
      assert.ok(!(await readdir(folder.root)).includes('.set-up.lock'))
    })
  }

  test('says in one line that npm, or the lock file, is missing', async () => {
    await using folder = await Folder.make('')
    await rm(join(folder.root, 'bin/npm'))
    const { code, said } = await folder.setUp()
    assert.deepEqual(
      { code, last: said.at(-1) },
      {
        code: 1,
        last: 'set-up: npm is not installed; install it (Debian: apt-get install npm)',
      },
    )
    await rm(join(folder.root, 'package-lock.json'))
    assert.deepEqual(await folder.setUp(), {
      code: 1,
      said: ['set-up: package-lock.json is missing or broken; restore it from git'],
      calls: [],
    })
  })

  test('waits for another set-up in the same folder instead of installing twice', async () => {
    await using folder = await Folder.make(`/bin/sleep 0.5\n${installs}`)
    const [one, two] = await Promise.all([folder.run(), folder.run()])
    assert.deepEqual([one.code, two.code], [0, 0])
    assert.deepEqual(await folder.calls(), ['npm ci'])
  })

  test('killed outright, it leaves a lock that holds as long as its npm lives', async () => {
    await using folder = await Folder.make(`until [ -e "$root/go" ]; do /bin/sleep 0.05; done\n${installs}`)
    const killed = folder.start()
    await folder.npmIsNoted()
    killed.kill('SIGKILL')
    const next = folder.start()
    const said = await new Promise<Buffer>((resolve) => next.stderr.once('data', resolve))
    assert.match(said.toString(), /^set-up: another set-up is at work here, waiting for it .*\n$/)
    await writeFile(join(folder.root, 'go'), '')
    assert.equal(await new Promise((resolve) => next.on('close', resolve)), 0)
    assert.deepEqual(await folder.calls(), ['npm ci'])
    assert.ok(!(await readdir(folder.root)).includes('.set-up.lock'))
  })

  test('stopped, it stops its npm too', async () => {
    await using folder = await Folder.make('exec /bin/sleep 60')
    const child = folder.start()
    await folder.npmIsNoted()
    child.kill('SIGTERM')
    assert.equal(await new Promise((resolve) => child.on('close', resolve)), 1)
    assert.ok(!(await readdir(folder.root)).includes('.set-up.lock'))
  })

  test('gets Chromium and the languages of samples for the tests where it may, and else says what to install', async () => {
    await using folder = await Folder.make(installs)
    await folder.setUp('--tests')
    const missing = [
      'set-up: no Chromium found, the browser tests need one; install it (Debian: sudo apt-get install chromium)',
      'set-up: no php, ruby, mcs found, those samples are not run; install them (Debian: sudo apt-get install php-cli ruby mono-mcs mono-runtime)',
    ]
    assert.deepEqual(await folder.setUp('--tests'), { code: 0, said: missing, calls: [] })

    await folder.program('ruby', '')
    await folder.program('apt-get', `case "$*" in *update) echo > "$root/lists" ;; *) [ -e "$root/lists" ] ;; esac`)
    const { code, said, calls } = await folder.setUp('--tests')
    assert.equal(code, 0)
    if (process.getuid?.() === 0) {
      const install = 'apt-get -y -q -o DPkg::Lock::Timeout=300 --no-install-recommends install'
      assert.deepEqual(said, [
        'set-up: installing Chromium for the browser tests (apt-get) …',
        'set-up: installing php, mcs for the samples of the documentation (apt-get) …',
      ])
      assert.deepEqual(calls, [
        `${install} chromium`,
        'apt-get -q update',
        `${install} chromium`,
        `${install} php-cli mono-mcs mono-runtime`,
      ])
    } else assert.deepEqual({ calls, first: said[0] }, { calls: [], first: missing[0] })

    for (const name of ['chromium', 'php', 'mcs']) await folder.program(name, '')
    assert.deepEqual(await folder.setUp('--tests'), quiet)
  })
})
