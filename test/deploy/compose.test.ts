import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { filledIn, readCompose, secretsOf } from '../harness/compose.ts'
import { copyLines } from '../harness/image-folder.ts'
import { settingFault } from '../harness/known-settings.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const { services, networks, volumes, secrets } = await readCompose()
const ours = Object.entries(services).filter(([, { image = '' }]) => image.startsWith('handover:'))

test('every variable of our services is a setting', () => {
  assert.deepEqual(
    ours.map(([name]) => name),
    ['migrate', 'web', 'worker'],
  )
  for (const [, { environment = {} }] of ours)
    assert.deepEqual(
      Object.keys(environment).flatMap((name) => settingFault(name) ?? []),
      [],
    )
})

test('lists of words are words: a colon in the wrong place would make something else of them', () => {
  for (const [name, { command = [], healthcheck, ports = [], volumes: mounted = [] }] of Object.entries(services))
    for (const word of [...command, ...(healthcheck?.test ?? []), ...ports, ...mounted])
      assert.equal(typeof word, 'string', `${name}: ${JSON.stringify(word)}`)
})

test('what is named exists: networks, volumes, secrets, services, files', () => {
  for (const [name, service] of Object.entries(services)) {
    for (const network of service.networks ?? []) assert.ok(networks[network], `${name}: ${network}`)
    const given = secretsOf(service)
    for (const { source } of given) assert.ok(secrets[source], `${name}: ${source}`)
    for (const other of Object.keys(service.depends_on ?? {})) assert.ok(services[other], `${name}: ${other}`)
    for (const volume of service.volumes ?? []) {
      const [source = ''] = volume.split(':')
      assert.ok(source.startsWith('./') ? existsSync(join(ROOT, source)) : volumes[source], `${name}: ${volume}`)
    }
    for (const value of Object.values(service.environment ?? {})) {
      if (!value.startsWith('/run/secrets/')) continue
      assert.ok(
        given.some(({ target }) => target === value),
        `${name} is not given ${value}`,
      )
    }
  }
})

test('only the proxy is reached from outside, and only the database’s own network leads to it', () => {
  assert.deepEqual(
    Object.entries(services).flatMap(([name, { ports }]) => (ports ? [[name, ...ports]] : [])),
    [['proxy', '80:80', '443:443']],
  )
  assert.equal(networks['database']?.internal, true)
  assert.deepEqual(services['database']?.networks, ['database'])
  assert.ok(!services['proxy']?.networks?.includes('database'))
  assert.ok(!services['worker']?.networks?.includes('front'))
})

test('the proxy has the certificate where its configuration looks for it, and not below a tmpfs that would hide it', async () => {
  const proxy = services['proxy'] ?? {}
  const conf = await readFile(join(ROOT, 'deploy/nginx/handover.conf'), 'utf8')
  const wanted = [...conf.matchAll(/^\s*ssl_certificate(?:_key)? (.*);$/gm)].map(([, path]) => path)
  assert.deepEqual(
    secretsOf(proxy).map(({ target }) => target),
    wanted,
  )
  for (const [name, service] of Object.entries(services))
    for (const { target } of secretsOf(service))
      for (const folder of service.tmpfs ?? []) assert.ok(!target.startsWith(`${folder}/`), `${name}: ${target}`)
})

test('they start in order: database, migration, those that answer, the proxy', () => {
  assert.deepEqual(services['migrate']?.depends_on, { database: { condition: 'service_healthy' } })
  for (const role of ['web', 'worker'])
    assert.deepEqual(services[role]?.depends_on, { migrate: { condition: 'service_completed_successfully' } })
  assert.deepEqual(services['proxy']?.depends_on, { web: { condition: 'service_healthy' } })
})

test('our services can write nothing, have no rights, and get longer to stop than they need', () => {
  for (const [name, service] of ours) {
    assert.equal(service.read_only, true, name)
    assert.deepEqual(service.cap_drop, ['ALL'], name)
    assert.equal(service.stop_grace_period, '30s', name)
  }
})

test('compose.yaml and Kubernetes name the image by the version of the package', async () => {
  const { version }: { version: string } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'))
  for (const [, { image = '' }] of ours) assert.equal(filledIn(image, {}), `handover:${version}`)
  const kustomization = await readFile(join(ROOT, 'deploy/kubernetes/kustomization.yaml'), 'utf8')
  assert.match(kustomization, new RegExp(`newTag: ${version.replaceAll('.', '\\.')}$`, 'm'))
})

test('a setting that has no default is asked for by name', () => {
  assert.throws(
    () => filledIn(services['web']?.environment?.['AUTH_URL'] ?? '', {}),
    /AUTH_URL is missing: such as https/,
  )
})

test('docker compose takes the file', { skip: composeMissing() }, () => {
  const ran = spawnSync('docker', ['compose', 'config', '--quiet'], {
    cwd: ROOT,
    env: { ...process.env, AUTH_URL: 'https://id.example.com' },
    encoding: 'utf8',
  })
  assert.equal(ran.status, 0, ran.stderr)
})

test('the Dockerfile: two stages of Node 24, another account than root, a probe, and the signal that stops us in order', async () => {
  const dockerfile = await readFile(join(ROOT, 'Dockerfile'), 'utf8')
  assert.equal(dockerfile.match(/^FROM node:24-slim\b/gm)?.length, 2)
  for (const line of [
    /^USER 1000:1000$/m,
    /^STOPSIGNAL SIGTERM$/m,
    /^HEALTHCHECK [^\n]*\\\n {2}CMD \[.*\/healthz/m,
    /^ENTRYPOINT \["handover"\]$/m,
    /^RUN npm ci --omit=dev --omit=optional --ignore-scripts$/m,
  ])
    assert.match(dockerfile, line)
  const probe = /^ {2}CMD (\[.*\])$/m.exec(dockerfile)?.[1] ?? ''
  assert.equal(JSON.parse(probe).length, 3, 'its probe is an array of words')
})

test('what the Dockerfile copies exists and is not left out by .dockerignore', async () => {
  const ignored = await readFile(join(ROOT, '.dockerignore'), 'utf8')
  const sources = (await copyLines()).flatMap((line) => line.sources)
  assert.ok(sources.includes('src') && sources.includes('migrations'))
  for (const source of [...sources, 'package-lock.json', '.npmrc']) {
    assert.ok(existsSync(join(ROOT, source)), source)
    assert.match(ignored, new RegExp(`^!${source.replace('.', '\\.')}$`, 'm'))
  }
  assert.match(ignored, /^\*$/m, 'everything else stays out, data and secrets too')
})

function composeMissing(): string | false {
  const ran = spawnSync('docker', ['compose', 'version'])
  return (
    ran.status !== 0 && 'docker compose is not here; the file was read by a YAML parser and checked by the tests above'
  )
}
