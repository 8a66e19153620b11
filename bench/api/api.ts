import { type Child, startChild } from '../child-process.ts'
import { contender, type Server, started, startHandover } from '../contenders.ts'
import { type Cores, pinThisProcess } from '../cores.ts'
import { addDatabase } from '../databases.ts'
import type { LoadRequest } from '../load/order.ts'
import { printSection, type Section, writeResults } from '../report.ts'
import { interleave } from '../rounds.ts'
import { type BenchStorage, startStorage } from '../storage.ts'
import {
  APPLICATIONS,
  applicationId,
  facilityId,
  SECRET,
  seedApplications,
  seedOtherFacilities,
  seedOtherWebhooks,
} from './seed.ts'

type Options = { rounds: number; seconds: number; only: string }

const SIZES = [1, 100_000, 1_000_000]
const CONNECTIONS = 32
const PATH = '/api/v2/public/webhooks/facility'

/** Creating, reading, changing and listing webhooks; against one bare statement, and against the number of webhooks that there are. */
export async function benchApi({ rounds, seconds, only }: Options): Promise<boolean> {
  const sections: Section[] = []
  if ('create against a bare insert'.includes(only))
    sections.push(
      await withStorage('both', (storage, load) => againstBareInsert(storage, load, 'both', rounds, seconds)),
    )
  pinThisProcess('other')
  await withStorage('other', async (storage, load) => {
    if ('create against a bare insert'.includes(only))
      sections.push(await againstBareInsert(storage, load, 'server', rounds, seconds))
    if ('read against a bare select'.includes(only))
      sections.push(await againstBareSelect(storage, load, rounds, seconds))
    if ('growth'.includes(only)) sections.push(...(await growth(storage, load, rounds, seconds)))
  })
  await writeResults('api', sections)
  return sections.every(({ bars }) => bars.every(({ reached }) => reached))
}

/** A PostgreSQL, where this process may run, and a load generator. */
async function withStorage<Result>(
  cores: Cores,
  work: (storage: BenchStorage, load: Child) => Promise<Result>,
): Promise<Result> {
  const storage = await startStorage()
  const load = await startChild(cores, ['bench/load/generator.ts'], {}, { awaitMessage: false })
  try {
    return await work(storage, load)
  } finally {
    await load.stop()
    await storage.stop()
  }
}

/**
 * On both cores service, PostgreSQL and load share what there is, as on anybody's machine. With the server on one, a create, which is
 * PostgreSQL's work above all, waits for the core that PostgreSQL shares with the load.
 */
async function againstBareInsert(
  storage: BenchStorage,
  load: Child,
  cores: Cores,
  rounds: number,
  seconds: number,
): Promise<Section> {
  const { ours, bare } = await startBoth(storage, 'bench_create', cores)
  try {
    const tokens = await tokensFrom(ours)
    const contenders = [
      contender('handover', load, ours, order(creates(tokens, PATH)), storage),
      contender('bare insert', load, bare, order(creates(tokens, '/')), storage),
    ]
    const bars = [{ of: 'handover', to: 'bare insert', atLeast: 0.6 }]
    const title = `create against a bare insert, ${cores === 'both' ? 'both cores' : 'one core'}`
    return printSection(title, bars, await interleave(contenders, rounds, seconds))
  } finally {
    await stop(ours, bare)
  }
}

/** What the check of a token, of its rate and of whose a webhook is, costs beside the statement that reads it. */
async function againstBareSelect(
  storage: BenchStorage,
  load: Child,
  rounds: number,
  seconds: number,
): Promise<Section> {
  const { ours, bare } = await startBoth(storage, 'bench_read', 'server')
  try {
    const tokens = await tokensFrom(ours)
    const [webhooks, bareWebhooks] = [
      await firstWebhooks(ours, creates(tokens, PATH)),
      await firstWebhooks(bare, creates(tokens, '/')),
    ]
    const contenders = [
      contender('handover', load, ours, order(reads(tokens, PATH, webhooks)), storage),
      contender('bare select', load, bare, order(reads(tokens, '', bareWebhooks)), storage),
    ]
    const bars = [{ of: 'handover', to: 'bare select', atLeast: 0 }]
    return printSection('read against a bare select, one core', bars, await interleave(contenders, rounds, seconds))
  } finally {
    await stop(ours, bare)
  }
}

/** Ours and the bare one, on a database of their own. */
async function startBoth(storage: BenchStorage, name: string, cores: Cores): Promise<{ ours: Server; bare: Server }> {
  const { url, db } = await addDatabase(storage, name)
  await seedApplications(db)
  await db`create table bare_webhooks (id text primary key, url text, events text[], secrets text[])`
  await db.end()
  const ours = await startHandover({ url }, { cores })
  const bare = started(await startChild(cores, ['bench/servers/bare-insert.ts'], { DATABASE_URL: url }))
  return { ours, bare }
}

function order(requests: LoadRequest[]) {
  return { requests, connections: CONNECTIONS, refreshTokens: null }
}

/** One server for each size, all at once, so that rounds alternate between them. */
async function growth(storage: BenchStorage, load: Child, rounds: number, seconds: number): Promise<Section[]> {
  const grown: Array<{ name: string; server: Server; tokens: string[]; webhooks: string[] }> = []
  try {
    for (const size of SIZES) {
      const { url, db } = await addDatabase(storage, `bench_${size}`)
      await seedApplications(db)
      await seedOtherFacilities(db)
      await seedOtherWebhooks(db, size)
      await db.end()
      const server = await startHandover({ url }, { cores: 'server' })
      const tokens = await tokensFrom(server)
      grown.push({
        name: `${size} webhooks`,
        server,
        tokens,
        webhooks: await firstWebhooks(server, creates(tokens, PATH)),
      })
    }
    const [smallest, , largest] = grown.map(({ name }) => name)
    const bars = [{ of: largest ?? '', to: smallest ?? '', atLeast: 0.8, by: 'p99' as const }]
    const kinds: Array<[string, (each: (typeof grown)[number]) => LoadRequest[]]> = [
      ['create', ({ tokens }) => creates(tokens, PATH)],
      ['PATCH', ({ tokens, webhooks }) => patches(tokens, webhooks)],
      ['list', ({ tokens }) => lists(tokens)],
    ]
    const sections: Section[] = []
    for (const [title, requests] of kinds) {
      const contenders = grown.map((each) => {
        return contender(each.name, load, each.server, { ...order(requests(each)), connections: 8 }, storage)
      })
      sections.push(printSection(`growth: ${title}`, bars, await interleave(contenders, rounds, seconds)))
    }
    return sections
  } finally {
    await stop(...grown.map(({ server }) => server))
  }
}

async function tokensFrom({ ports }: Server): Promise<string[]> {
  const tokens: string[] = []
  for (let number = 0; number < APPLICATIONS; number += 1) {
    const answer = await fetch(`http://127.0.0.1:${ports[0]}/oidc/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: applicationId(number),
        client_secret: SECRET + number,
        audience: 'urn:handover:api:sandbox',
      }),
    })
    tokens.push(/"access_token":"([^"]+)"/.exec(await answer.text())?.[1] ?? '')
  }
  return tokens
}

/** One webhook of each application, to be read or changed. */
async function firstWebhooks({ ports }: Server, requests: LoadRequest[]): Promise<string[]> {
  const ids: string[] = []
  for (const { path, headers, body } of requests) {
    const answer = await fetch(`http://127.0.0.1:${ports[0]}${path}`, { method: 'POST', headers, body })
    ids.push(/"id":"([^"]+)"/.exec(await answer.text())?.[1] ?? '')
  }
  return ids
}

function creates(tokens: string[], path: string): LoadRequest[] {
  return tokens.map((token, number) => ({
    method: 'POST',
    path,
    headers: json(token),
    body: JSON.stringify({
      url: 'https://partner.example/hooks/handover',
      events: ['shift.created', 'shift.cancelled'],
      facilities: [facilityId(number)],
      secrets: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw5Rn9zPqfG9k='],
    }),
  }))
}

function reads(tokens: string[], path: string, webhooks: string[]): LoadRequest[] {
  return tokens.map((token, number) => ({
    method: 'GET',
    path: `${path}/${webhooks[number] ?? ''}`,
    headers: json(token),
    body: '',
  }))
}

function patches(tokens: string[], webhooks: string[]): LoadRequest[] {
  return tokens.map((token, number) => ({
    method: 'PATCH',
    path: `${PATH}/${webhooks[number] ?? ''}`,
    headers: json(token),
    body: JSON.stringify({ events: ['all'] }),
  }))
}

function lists(tokens: string[]): LoadRequest[] {
  return tokens.map((token) => ({ method: 'GET', path: `${PATH}?limit=20`, headers: json(token), body: '' }))
}

function json(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
}

async function stop(...servers: Server[]): Promise<void> {
  await Promise.all(servers.flatMap(({ children }) => children.map((child) => child.stop())))
}
