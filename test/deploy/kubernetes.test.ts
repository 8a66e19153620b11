import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { parse, parseAllDocuments } from 'yaml'
import { settingFault } from '../harness/known-settings.ts'

const FOLDER = new URL('../../deploy/kubernetes/', import.meta.url)
const PROBES = ['/healthz', '/readyz']

type Labels = Record<string, string>
type Container = {
  image: string
  args: string[]
  ports?: Array<{ name: string; containerPort: number }>
  envFrom: Array<{ configMapRef: { name: string } }>
  volumeMounts: Array<{ name: string; mountPath: string }>
  securityContext: {
    allowPrivilegeEscalation: boolean
    readOnlyRootFilesystem: boolean
    capabilities: { drop: string[] }
  }
  resources: { requests: Labels; limits: Labels }
  lifecycle?: { preStop: { exec: { command: string[] } } }
} & Partial<Record<'startupProbe' | 'livenessProbe' | 'readinessProbe', { httpGet: { path: string; port: string } }>>
type Pod = {
  metadata: { labels: Labels }
  spec: {
    securityContext: { runAsNonRoot: boolean; runAsUser: number; seccompProfile: { type: string } }
    automountServiceAccountToken: boolean
    terminationGracePeriodSeconds?: number
    containers: [Container]
    volumes: Array<{ name: string; secret: { secretName: string } }>
  }
}
type Selector = { matchLabels?: Labels; matchExpressions?: Array<{ key: string; values: string[] }> }
type Manifest = {
  kind: string
  metadata: { name: string }
  data?: Labels
  stringData?: Labels
  spec: {
    replicas?: number
    template?: Pod
    selector?: Selector & Labels
    podSelector?: Selector
    scaleTargetRef?: { kind: string; name: string }
    minReplicas?: number
    ports?: Array<{ targetPort: string }>
    ingress?: Array<{ ports?: Array<{ port: string }> }>
    egress?: Array<{ ports?: unknown; to?: Array<{ ipBlock?: { cidr: string; except?: string[] } }> }>
    rules?: Array<{ http: { paths: Array<{ backend: { service: { name: string } } }> } }>
    podMetricsEndpoints?: Array<{ port: string }>
  }
}

async function manifestsIn(file: string): Promise<Manifest[]> {
  const source = await readFile(new URL(file, FOLDER), 'utf8')
  return parseAllDocuments(source).map((document): Manifest => {
    assert.deepEqual(document.errors, [], file)
    return document.toJS()
  })
}

const kustomization: { resources: string[] } = parse(await readFile(new URL('kustomization.yaml', FOLDER), 'utf8'))
const manifests = (await Promise.all(kustomization.resources.map(manifestsIn))).flat()
const [secret] = await manifestsIn('secret.example.yaml')
const [monitor] = await manifestsIn('pod-monitor.yaml')
const of = (kind: string) => manifests.filter((manifest) => manifest.kind === kind)
const pods = manifests.flatMap(({ metadata, spec }) =>
  spec?.template ? [{ name: metadata.name, pod: spec.template }] : [],
)

/** Names of those whose pods a selector finds. */
function found({ matchLabels = {}, matchExpressions = [] }: Selector): string[] {
  const fits = (labels: Labels) =>
    Object.entries(matchLabels).every(([name, value]) => labels[name] === value) &&
    matchExpressions.every(({ key, values }) => values.includes(labels[key] ?? ''))
  return pods.filter(({ pod }) => fits(pod.metadata.labels)).map(({ name }) => name)
}

test('every file is in the kustomization, but the example and what needs the Prometheus operator', async () => {
  const files = (await readdir(FOLDER)).filter((file) => file.endsWith('.yaml') && file !== 'kustomization.yaml')
  const left = files.filter((file) => !kustomization.resources.includes(file))
  assert.deepEqual(left.toSorted(), ['pod-monitor.yaml', 'secret.example.yaml'])
})

test('what is selected is there: by deployments, services, budgets, the autoscaler, the ingress and network policies', () => {
  for (const { metadata, spec } of of('Deployment')) assert.deepEqual(found(spec.selector ?? {}), [metadata.name])
  for (const { spec } of of('Service')) assert.deepEqual(found({ matchLabels: spec.selector ?? {} }), ['handover-web'])
  for (const { metadata, spec } of of('PodDisruptionBudget'))
    assert.deepEqual(found(spec.selector ?? {}), [metadata.name])
  for (const { metadata, spec } of of('NetworkPolicy'))
    assert.ok(found(spec.podSelector ?? {}).length > 0, metadata.name)
  for (const { spec } of of('HorizontalPodAutoscaler')) {
    const target = manifests.find(
      ({ kind, metadata }) => kind === spec.scaleTargetRef?.kind && metadata.name === spec.scaleTargetRef.name,
    )
    assert.ok(target)
    assert.equal(target.spec.replicas, undefined, 'a number there would undo the autoscaler at every apply')
    assert.ok((spec.minReplicas ?? 0) >= 2)
  }
  const services = new Set(of('Service').map(({ metadata }) => metadata.name))
  for (const path of of('Ingress')
    .flatMap(({ spec }) => spec.rules ?? [])
    .flatMap(({ http }) => http.paths))
    assert.ok(services.has(path.backend.service.name))
})

test('ports that are named exist, and probes ask what the service answers', () => {
  const named = new Set(pods.flatMap(({ pod }) => pod.spec.containers[0].ports ?? []).map(({ name }) => name))
  const wanted = [
    ...of('Service')
      .flatMap(({ spec }) => spec.ports ?? [])
      .map(({ targetPort }) => targetPort),
    ...of('NetworkPolicy')
      .flatMap(({ spec }) => spec.ingress ?? [])
      .flatMap(({ ports = [] }) => ports.map(({ port }) => port)),
    ...(monitor?.spec.podMetricsEndpoints ?? []).map(({ port }) => port),
  ]
  assert.ok(wanted.length >= 4)
  for (const port of wanted) assert.ok(named.has(port), port)
  for (const { spec } of of('Deployment')) {
    const [container] = spec.template?.spec.containers ?? []
    assert.ok(container)
    const { startupProbe, livenessProbe, readinessProbe } = container
    assert.equal(startupProbe?.httpGet.path, '/healthz')
    // A database that is away must end no process: only readiness may depend on it.
    assert.equal(livenessProbe?.httpGet.path, '/healthz')
    assert.equal(readinessProbe?.httpGet.path, '/readyz')
    for (const probe of [startupProbe, livenessProbe, readinessProbe])
      assert.ok(named.has(probe?.httpGet.port ?? '') && PROBES.includes(probe?.httpGet.path ?? ''))
  }
})

test('workers may call every public address at every port, as webhooks may name it, and no inner one', async () => {
  const policy = of('NetworkPolicy').find(({ metadata }) => metadata.name === 'handover-receivers')
  const [way, ...others] = policy?.spec.egress ?? []
  assert.ok(way && others.length === 0)
  assert.equal(way.ports, undefined)
  const [v4, v6] = (way.to ?? []).map(({ ipBlock }) => ipBlock)
  assert.deepEqual([v4?.cidr, v6?.cidr], ['0.0.0.0/0', '::/0'])
  for (const inner of ['10.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.168.0.0/16'])
    assert.ok(v4?.except?.includes(inner), inner)
  // That is also the way to our own name, which the doctor looks at.
  const page = await readFile(new URL('../../docs/pages/operations/deploy.md', FOLDER), 'utf8')
  assert.match(page, /exec deployment\/handover-worker -- handover doctor/)
})

test('settings are known, and the secrets that they name are in the example and mounted', () => {
  const [config] = of('ConfigMap')
  assert.ok(config?.data && secret?.stringData)
  assert.deepEqual(
    Object.keys(config.data).flatMap((name) => settingFault(name) ?? []),
    [],
  )
  for (const { name, pod } of pods) {
    const [{ envFrom, volumeMounts }] = pod.spec.containers
    assert.equal(envFrom[0]?.configMapRef.name, config.metadata.name, name)
    assert.equal(pod.spec.volumes[0]?.secret.secretName, secret.metadata.name, name)
    const files: Array<[string, string]> = Object.entries(config.data).filter(([setting]) => setting.endsWith('_FILE'))
    for (const [setting, file] of files) {
      const [folder, key = ''] = [file.slice(0, file.lastIndexOf('/')), file.split('/').at(-1)]
      assert.equal(folder, volumeMounts[0]?.mountPath, setting)
      assert.ok(Object.hasOwn(secret.stringData, key), setting)
    }
  }
})

test('every pod is restricted, and is given longer to stop than it takes', () => {
  for (const { name, pod } of pods) {
    const [{ securityContext, resources, lifecycle, args }] = pod.spec.containers
    assert.deepEqual(
      [
        pod.spec.securityContext.runAsNonRoot,
        pod.spec.securityContext.seccompProfile.type,
        pod.spec.automountServiceAccountToken,
      ],
      [true, 'RuntimeDefault', false],
      name,
    )
    assert.equal(pod.spec.securityContext.runAsUser, 1000, name)
    assert.deepEqual(
      [
        securityContext.allowPrivilegeEscalation,
        securityContext.readOnlyRootFilesystem,
        securityContext.capabilities.drop,
      ],
      [false, true, ['ALL']],
      name,
    )
    assert.ok(resources.requests['memory'] && resources.limits['memory'] && !resources.limits['cpu'], name)
    if (args[0] !== 'serve') continue
    const pause = Number(lifecycle?.preStop.exec.command[1])
    assert.ok((pod.spec.terminationGracePeriodSeconds ?? 0) >= pause + 10 + 3, name)
  }
})

const kubectlMissing =
  spawnSync('kubectl', ['kustomize', '--help']).status !== 0 && 'kubectl is not here; the files were read one by one'

test('kubectl builds all of it', { skip: kubectlMissing }, (context) => {
  const built = spawnSync('kubectl', ['kustomize', fileURLToPath(FOLDER)], { encoding: 'utf8' })
  assert.equal(built.status, 0, built.stderr)
  assert.equal(parseAllDocuments(built.stdout).length, manifests.length)
  assert.doesNotMatch(built.stdout, /image: handover$/m, 'every image has a tag')
  // The schemas of Kubernetes itself, from PyPI.
  const file = join(tmpdir(), `handover-manifests-${process.pid}.yaml`)
  writeFileSync(file, built.stdout)
  const validated = spawnSync('kubernetes-validate', ['--strict', '--quiet', file], { encoding: 'utf8' })
  rmSync(file)
  if (validated.error) context.diagnostic('not held against the schemas of Kubernetes: pip install kubernetes-validate')
  else assert.equal(validated.status, 0, validated.stdout + validated.stderr)
})
