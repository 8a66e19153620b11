import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { listens } from './listens.ts'

const FETCHED = fileURLToPath(new URL('../../node_modules/.cache/handover/nginx/usr/sbin/nginx', import.meta.url))
const PROGRAM = ['/usr/sbin/nginx', '/usr/bin/nginx', FETCHED].find(
  (place) => existsSync(place) && spawnSync(place, ['-v']).status === 0,
)

/** False, or why it cannot run here. */
export const nginxMissing = PROGRAM === undefined && 'nginx is not installed: apt-get install nginx-light'

export type ProxyPlan = {
  /** Where the processes listen that answer. */
  upstreams: readonly number[]
  httpPort: number
  httpsPort: number
  certificate: { key: string; cert: string }
}

export type Proxy = { stop: () => Promise<void> }

/**
 * Our own configuration for it, with other ports and files. Debian's nginx is older than the one in compose.yaml, so what it
 * does not know yet is taken out: asking the name server again, and the newer way to switch HTTP/2 on.
 */
export async function startNginx(plan: ProxyPlan): Promise<Proxy> {
  if (PROGRAM === undefined) throw new Error('There is no nginx on this machine')
  const folder = await mkdtemp(join(tmpdir(), 'handover-nginx-'))
  await chmod(folder, 0o755)
  const file = async (name: string, text: string) => {
    await writeFile(join(folder, name), text)
    return join(folder, name)
  }
  const cert = await file('cert.pem', plan.certificate.cert)
  const key = await file('key.pem', plan.certificate.key)
  const settings = (await nginxSource())
    .replace(/^\s*resolver .*\n/m, '')
    .replace(/^\s*http2 on;\n/m, '')
    .replace(/server web:4000 resolve( [^;]*)?;/, (_, rest = '') =>
      plan.upstreams.map((port) => `server 127.0.0.1:${port}${rest};`).join('\n    '),
    )
    .replace('listen 80 ', `listen 127.0.0.1:${plan.httpPort} `)
    .replace('listen 443 ssl', `listen 127.0.0.1:${plan.httpsPort} ssl`)
    .replace('/etc/nginx/tls/certificate', cert)
    .replace('/etc/nginx/tls/key', key)
    .replaceAll('access_log /dev/stdout', `access_log ${join(folder, 'access.log')}`)
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${join(folder, kind)};`,
  )
  const main = await file(
    'nginx.conf',
    `daemon off; master_process off; pid ${join(folder, 'nginx.pid')}; error_log stderr;
events {} http { ${temporary.join(' ')} include ${await file('handover.conf', settings)}; }\n`,
  )
  const program = spawn(PROGRAM, ['-p', folder, '-c', main], { stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  program.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString()
  })
  const ended = once(program, 'close')
  const stop = async () => {
    program.kill('SIGKILL')
    await ended
    await rm(folder, { recursive: true, force: true })
  }
  if (!(await listens(plan.httpsPort, program))) {
    await stop()
    throw new Error(`nginx did not start: ${said}`)
  }
  return { stop }
}

export function nginxSource(): Promise<string> {
  return readFile(new URL('../../deploy/nginx/handover.conf', import.meta.url), 'utf8')
}
