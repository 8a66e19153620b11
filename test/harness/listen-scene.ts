import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { Webhook } from 'standardwebhooks'
import { type Timing, USUAL_TIMING } from '../../src/cli/listen/follow.ts'
import { listen } from '../../src/cli/listen/listen.ts'
import { outputFor } from '../../src/cli/output.ts'
import { type Api, apiAt } from './api-client.ts'
import { type DeliveryScene, type ShownAttempt, type ShownDelivery, startDeliveryScene } from './delivery-scene.ts'
import type { ShownListener } from './listener-scene.ts'
import { type HandoverProcess, runHandover } from './process.ts'
import { PATIENCE_MS, soon } from './soon.ts'
import type { TestApplication } from './token-scene.ts'

/** A request as the integrator's own program on this computer got it. */
export type Arrival = { headers: IncomingHttpHeaders; body: Buffer; eventId: string }

/** The integrator's program. `reply` may take its time, or never answer. */
export type LocalProgram = {
  address: string
  arrivals: Arrival[]
  /** Waits until so many requests came, and no more. */
  arrivalsBecome: (count: number) => Promise<Arrival[]>
  reply: (response: ServerResponse, arrival: Arrival) => void
  close: () => Promise<void>
}

export async function startLocalProgram(): Promise<LocalProgram> {
  const server = createServer((request, response) => {
    const { headers } = request
    const take = async () => {
      const arrival = { headers, body: await buffer(request), eventId: String(headers['webhook-id']) }
      program.arrivals.push(arrival)
      program.reply(response, arrival)
    }
    void take()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const bound = server.address()
  const port = typeof bound === 'object' && bound !== null ? bound.port : 0
  const program: LocalProgram = {
    address: `127.0.0.1:${port}/hooks`,
    arrivals: [],
    arrivalsBecome: async (count) => {
      await soon(async () => program.arrivals.length >= count, PATIENCE_MS)
      assert.equal(program.arrivals.length, count, program.arrivals.map(({ eventId }) => eventId).join())
      return program.arrivals
    },
    reply: (response) => void response.end('ok'),
    close: async () => {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
  return program
}

export function verifies({ headers, body }: Arrival, secret: string): void {
  const named = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
  new Webhook(secret).verify(body, named)
}

/** An integrator at work: an application at a facility, a program, and a computer with a state folder of its own. */
export type Integrator = {
  application: TestApplication
  facilityId: string
  program: LocalProgram
  api: Api
  /** With which a command speaks for the application. */
  env: Record<'HANDOVER_URL' | 'HANDOVER_CLIENT_ID' | 'HANDOVER_CLIENT_SECRET' | 'XDG_STATE_HOME' | 'HOME', string>
  /** `handover listen` in a process of its own, by way of this address. */
  listen: (options?: { at?: string; more?: string[]; env?: Record<string, string> }) => HandoverProcess
  /** The same in this process, with other times. */
  listenHere: (options?: { at?: string; timing?: Partial<Timing> }) => ListenHere
  happen: (count?: number) => Promise<string[]>
  /** Waits until the listener's facility webhook has deliveries in these states and no others; newest first. */
  statesBecome: (states: string[]) => Promise<ShownDelivery[]>
  attemptsOf: (deliveryId: string) => Promise<ShownAttempt[]>
}

export type ListenHere = {
  said: () => string
  says: (pattern: RegExp) => Promise<void>
  /** From its next connection on it takes a longer or shorter silence for the end. */
  bearSilence: (silenceMs: number) => void
  /** Ctrl-C. */
  interrupt: () => void
  ended: Promise<Error | null>
}

const LAPTOP = '/sandbox/listeners/laptop'

function deliveriesPath({ facilityWebhook }: ShownListener): string {
  assert.ok(facilityWebhook)
  return `/webhooks/facility/${facilityWebhook.id}/deliveries`
}

export type ListenScene = DeliveryScene & { integratorAtWork: () => Promise<Integrator> }

export async function startListenScene(): Promise<ListenScene> {
  const scene = await startDeliveryScene()
  const cleaning: Array<() => Promise<void>> = []
  return {
    ...scene,
    async integratorAtWork() {
      const application = await scene.integrator({ apiRatePerSecond: 10_000, apiRateBurst: 10_000 })
      const facilityId = await scene.facility('sandbox', application)
      const token = await scene.appToken(application, 'sandbox')
      const api = apiAt(scene.url, token)
      const program = await startLocalProgram()
      const state = await mkdtemp(join(tmpdir(), 'handover-listen-'))
      const ending = new Set<() => void>()
      cleaning.push(async () => {
        for (const end of ending) end()
        await program.close()
        await rm(state, { recursive: true, force: true })
      })
      /** Null while the service has lost its database, and says so. */
      const read = async (path: string) => {
        const answer = await api.get(path)
        if (answer.status === 503) return null
        assert.equal(answer.status, 200, answer.text)
        return JSON.parse(answer.text).data
      }
      const ofCommand = {
        HANDOVER_URL: scene.url,
        HANDOVER_CLIENT_ID: application.id,
        HANDOVER_CLIENT_SECRET: application.secret ?? '',
        XDG_STATE_HOME: state,
        HOME: state,
      }
      return {
        application,
        facilityId,
        program,
        api,
        env: ofCommand,
        listen: ({ at = scene.url, more = [], env = {} } = {}) =>
          runHandover(['listen', '--forward-to', program.address, '--name', 'laptop', ...more], {
            ...ofCommand,
            HANDOVER_URL: at,
            ...env,
          }),
        listenHere({ at = scene.url, timing: asked = {} } = {}) {
          const interrupted = new AbortController()
          ending.add(() => interrupted.abort())
          let said = ''
          const line = (text: string) => {
            said += `${text}\n`
          }
          const terminal = { env: { XDG_STATE_HOME: state }, print: line, warn: line }
          const connection = {
            baseUrl: at,
            clientId: application.id,
            environment: 'sandbox' as const,
            accessToken: async () => token,
          }
          const timing = { ...USUAL_TIMING, firstPauseMs: 20, longestPauseMs: 200, giveUpAfterMs: 300_000, ...asked }
          const wish = { name: 'laptop', forwardTo: new URL(`http://${program.address}`), events: [], timing }
          const ended = listen(terminal, connection, outputFor(terminal), wish, interrupted.signal).then(
            () => null,
            (error: unknown) => (error instanceof Error ? error : new Error(String(error))),
          )
          return {
            said: () => said,
            says: async (pattern) => assert.ok(await soon(async () => pattern.test(said), PATIENCE_MS), said),
            bearSilence: (silenceMs) => {
              timing.silenceMs = silenceMs
            },
            interrupt: () => interrupted.abort(),
            ended,
          }
        },
        happen: (count = 1) => scene.happen('sandbox', facilityId, count),
        async statesBecome(states) {
          let last: ShownDelivery[] = []
          const isSo = async () => {
            const listener = await read(LAPTOP)
            last = (listener && (await read(`${deliveriesPath(listener)}?limit=100`))) ?? last
            return JSON.stringify(last.map(({ state: each }) => each)) === JSON.stringify(states)
          }
          assert.ok(await soon(isSo, PATIENCE_MS), JSON.stringify(last))
          return last
        },
        attemptsOf: async (id) => read(`${deliveriesPath(await read(LAPTOP))}/${id}/attempts`),
      }
    },
    async stop() {
      for (const clean of cleaning) await clean()
      await scene.stop()
    },
  }
}
