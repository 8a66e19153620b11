import { createSecureContext } from 'node:tls'
import { dial } from '../../platform/safe-request/dial.ts'
import { nameServers } from '../../platform/safe-request/lookup.ts'
import { RequestFailed } from '../../platform/safe-request/request-failed.ts'
import { type Finding, ok, skipped, warning, wrong } from './finding.ts'
import type { Asked, Patient } from './patient.ts'

const CONNECT_MS = 4_000

/** The way out, by the same rules that a delivery goes by; nobody is dialled unless the operator names them. */
export async function checkEgress({ config, env }: Patient, { egress }: Asked): Promise<Finding[]> {
  return [guardOf(config.demo), ...trustOf(env), ...proxiesIn(env), await wayOut(egress, config.demo)]
}

function guardOf(demo: boolean): Finding {
  return demo
    ? warning('address guard', 'demo mode: webhooks may point at this machine', 'Use "handover serve" for real.')
    : ok('address guard', 'webhooks reach public addresses only, checked at every connection')
}

function trustOf(env: Patient['env']): Finding[] {
  if (env['NODE_TLS_REJECT_UNAUTHORIZED'] !== '0') return []
  const says = 'NODE_TLS_REJECT_UNAUTHORIZED is 0: certificates of the mail server and the collector are not checked'
  return [wrong('certificates', says, 'Remove the variable; name an authority of your own by NODE_EXTRA_CA_CERTS.')]
}

/** A proxy would resolve names by itself, and whoever owns a webhook could then reach the inner network. */
function proxiesIn(env: Patient['env']): Finding[] {
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'].flatMap((name) => [name, name.toLowerCase()])
  const set = names.filter((name) => env[name])
  if (set.length === 0) return [ok('outgoing proxy', 'none is set, and deliveries would use none')]
  return [
    warning(
      'outgoing proxy',
      `${set.join(', ')} ${set.length === 1 ? 'is' : 'are'} set, but deliveries go out directly`,
      'Let the firewall allow what webhooks name, mostly port 443 everywhere; the checks of addresses are ours.',
    ),
  ]
}

async function wayOut(egress: string | null, demo: boolean): Promise<Finding> {
  const check = 'egress'
  if (egress === null) return skipped(check, 'nobody was dialled; "--egress https://…" tries a receiver')
  const url = URL.canParse(egress) ? new URL(egress) : null
  if (url === null || !/^https?:$/.test(url.protocol))
    return wrong(check, 'that is not the address of a receiver', 'Write --egress https://partner.example.')
  const secure = url.protocol === 'https:'
  const place = { host: url.hostname, port: Number(url.port) || (secure ? 443 : 80), secure }
  const settings = {
    addresses: { resolve: nameServers(), loopbackAllowed: demo, permit: () => false },
    secureContext: createSecureContext(),
    connectMs: CONNECT_MS,
  }
  try {
    const { socket } = await dial(place, settings, new AbortController().signal)
    socket.destroy()
    return ok(check, `${place.host}:${place.port} was reached${secure ? ', and its certificate is valid' : ''}`)
  } catch (error) {
    if (!(error instanceof RequestFailed)) throw error
    return wrong(check, error.message, adviceOn(error.kind))
  }
}

function adviceOn(kind: RequestFailed['kind']): string {
  if (kind === 'dns') return 'See whether this machine has a name server that knows the public internet.'
  if (kind === 'refused-address') return 'Name a receiver with a public address; others are never called.'
  if (kind === 'tls')
    return 'If other receivers fail like this too, something between decrypts TLS: deliveries must go around it.'
  return 'Let the firewall or the NetworkPolicy allow it: deliveries go to public addresses everywhere.'
}
