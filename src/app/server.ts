import type { RequestListener } from 'node:http'
import { fileURLToPath } from 'node:url'
import { type FastifyBaseLogger, type FastifyInstance, fastify, LogController } from 'fastify'
import { docs } from '../docs/routes.ts'
import { sendCachedJson } from '../http/cached-json.ts'
import { requireClearTarget } from '../http/clear-target.ts'
import { answerError, type Door, hangDoor } from '../http/door.ts'
import { answerLoopbackOnly } from '../http/loopback-only.ts'
import { sendPage } from '../http/page.ts'
import { servePublicFiles } from '../http/public-files.ts'
import { refuseLate } from '../http/refuse-late.ts'
import { requestId } from '../http/request-id.ts'
import { securityHeaders } from '../http/security-headers.ts'
import { oidcDoor } from '../oidc/routes.ts'
import { platformApiDocument } from '../platform-api/openapi.ts'
import { platformApiDoor } from '../platform-api/routes.ts'
import { portalDoor } from '../portal/routes.ts'
import { publicApiDocument } from '../public-api/openapi.ts'
import { publicApiDoor } from '../public-api/routes.ts'
import { supportDoor } from '../support/routes.ts'
import { errorPage } from '../ui/error-page.ts'
import { frontPage } from '../ui/front-page.ts'
import type { Addresses } from './addresses.ts'
import type { Deps } from './deps.ts'
import { healthRoutes } from './health.ts'
import type { Identity } from './identity.ts'
import { mailboxDoor } from './mailbox/mailbox-door.ts'
import { observeRequests } from './observe-requests.ts'
import { reportShed } from './report-shed.ts'
import type { Worker } from './worker.ts'

const PUBLIC_FOLDER = fileURLToPath(new URL('../../public', import.meta.url))
const DOCS_FOLDER = fileURLToPath(new URL('../../docs', import.meta.url))

/** Bodies of forms and webhooks are small (decisions B15, C2); a door that takes more says so itself. */
const BODY_LIMIT_BYTES = 64 * 1024

const OPENAPI_MAX_AGE_SECONDS = 300

/** The HTTP side of the process: one Fastify, and every door hung in it once. Answers what answers requests. */
export async function buildServer(
  deps: Deps,
  addresses: Addresses,
  parts: { worker: Worker | null; identity: Identity | null; more: readonly Door[] },
): Promise<RequestListener> {
  const { config, log } = deps
  const documentation = docs({
    folder: DOCS_FOLDER,
    fresh: config.demo,
    baseUrl: addresses.baseUrl,
    publicApi: () => publicApiDocument(addresses.baseUrl, addresses.authUrl),
    platformApi: () => platformApiDocument(addresses.baseUrl),
  })
  const front = frontDoor(deps, addresses, parts.worker, documentation.atTheRoot)
  const doors = parts.identity
    ? [...visitorDoors(addresses, parts.identity), documentation.door, ...parts.more, front]
    : [front]
  const https = addresses.authUrl.startsWith('https:')
  const setSecurityHeaders = securityHeaders({ https })
  // Named by Fastify's own type, or every instance would be generic over ours.
  const logger: FastifyBaseLogger = log
  const app = fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: trusted(config.trustProxy),
    bodyLimit: BODY_LIMIT_BYTES,
    genReqId: requestId,
    requestIdHeader: false,
    // What we log names the request itself; a logger for each request would cost every one of them.
    childLoggerFactory: (parent) => parent,
    routerOptions: { maxParamLength: 256 },
    // A path that cannot be decoded reaches no router and no hook, yet it is answered in the style of the door it is under.
    frameworkErrors: (error, request, reply) => {
      setSecurityHeaders(request, reply)
      const door = doors.find(({ prefix }) => request.url.startsWith(`${prefix}/`)) ?? front
      answerError(error, request, reply, door.answer)
    },
  })
  app.decorateRequest('door', 'none')
  const shed = reportShed(
    log,
    deps.metrics.requestsShed,
    doors.map(({ name }) => name),
  )
  observeRequests(app, deps, shed)
  app.addHook('onRequest', (request, reply, done) => {
    setSecurityHeaders(request, reply)
    done()
  })
  requireClearTarget(app)
  if (config.demo) answerLoopbackOnly(app)
  for (const door of doors) hangDoor(app, door, config.longestWaitMs)
  await app.ready()
  const { longestWaitMs } = config
  const refuse = refuseLate(doors, { https, longestWaitMs, refused: shed })
  return (request, response) => {
    if (!refuse(request, response)) app.routing(request, response)
  }
}

function visitorDoors(addresses: Addresses, identity: Identity): Door[] {
  const { mailbox } = identity
  return [
    oidcDoor(identity),
    publicApiDoor({ ...identity.api, baseUrl: addresses.baseUrl }),
    platformApiDoor(addresses, identity.platformApi),
    portalDoor({ ...identity.portal, baseUrl: addresses.baseUrl }),
    supportDoor(identity.support),
    ...(mailbox === null ? [] : [mailboxDoor(mailbox)]),
  ]
}

/** A number says how many proxies stand in front, whatever their addresses. */
function trusted(
  proxies: Deps['config']['trustProxy'],
): string[] | false | ((address: string, hop: number) => boolean) {
  return typeof proxies === 'number' ? (_, hop) => hop < proxies : proxies
}

/** What lies outside every door: the front page, the style sheet, the API's description, and the probes of the operator. */
function frontDoor(
  deps: Deps,
  addresses: Addresses,
  worker: Worker | null,
  textsAtTheRoot: (app: FastifyInstance) => void,
): Door {
  return {
    name: 'front',
    prefix: '',
    routes: (app) => {
      app.get('/', (_, reply) => sendPage(reply, 200, frontPage({ ...addresses, demo: deps.config.demo })))
      servePublicFiles(app, PUBLIC_FOLDER)
      const openApi = publicApiDocument(addresses.baseUrl, addresses.authUrl)
      app.get('/openapi.json', (request, reply) => sendCachedJson(request, reply, openApi, OPENAPI_MAX_AGE_SECONDS))
      textsAtTheRoot(app)
      const embeddedIn = deps.config.databaseUrl === null ? deps.config.dataFolder : null
      healthRoutes(app, { db: deps.db, migrations: deps.migrations, worker, embeddedIn })
    },
    answer: (problem, request, reply) =>
      sendPage(reply.headers(problem.headers), problem.status, errorPage(problem, request.id)),
  }
}
