import { createApplicationCache } from '../domain/applications/application-cache.ts'
import { startSecretUses } from '../domain/applications/secret-uses.ts'
import { openKeyRing } from '../domain/keys/key-ring.ts'
import { ensureSigningKeys } from '../domain/keys/signing-key-store.ts'
import { startRateLimiter } from '../domain/limits/rate-limiter.ts'
import { startRequestLog } from '../domain/requests/request-log.ts'
import type { Issuer } from '../domain/tokens/access-token.ts'
import { createRevocations } from '../domain/tokens/revocations.ts'
import { createRotation } from '../domain/tokens/rotation-store.ts'
import { createVerifiedTokens } from '../domain/tokens/verified-tokens.ts'
import { readIdTokenHint } from '../domain/tokens/verify-id-token.ts'
import { gatheredRegistration } from '../domain/webhooks/registration.ts'
import type { BearerCheck } from '../http/bearer.ts'
import type { BrowserTools } from '../http/browser.ts'
import { cookieJar } from '../http/cookies.ts'
import { createClientFailures } from '../oidc/oauth/client-failures.ts'
import type { OidcParts } from '../oidc/routes.ts'
import { startAfterwards } from '../platform/afterwards.ts'
import { type Announcement, followAnnouncements } from '../platform/announcements.ts'
import type { Bell } from '../platform/bell.ts'
import { createDatabaseClock } from '../platform/database-clock.ts'
import type { PlatformApiParts } from '../platform-api/routes.ts'
import type { PortalParts } from '../portal/threshold/parts.ts'
import { startListenerStreams } from '../public-api/listener-streams.ts'
import type { PublicApiParts } from '../public-api/routes.ts'
import type { SupportParts } from '../support/threshold/parts.ts'
import type { Addresses } from './addresses.ts'
import type { Deps } from './deps.ts'
import type { Mailbox } from './mailbox/mailbox.ts'
import { VERSION } from './version.ts'

/** What the doors need to know who calls: keys, applications, revocations, limits, kept up to date by announcements. */
export type Identity = OidcParts & {
  api: Omit<PublicApiParts, 'baseUrl'>
  platformApi: PlatformApiParts
  portal: Omit<PortalParts, 'baseUrl'>
  support: SupportParts
  mailbox: Mailbox | null
  stop: () => Promise<void>
}

export async function openIdentity(deps: Deps, bell: Bell, { issuer, authUrl }: Addresses): Promise<Identity> {
  const { db, cipher, log, passwords, config } = deps
  // When tokens begin and end is shared by all processes, and with what revokes them.
  const { now: clock, ask: askTime } = createDatabaseClock(deps.clock)
  const failed = (what: string) => (error: unknown) => log.warn({ err: error }, what)

  await ensureSigningKeys(db, cipher)
  const keys = await openKeyRing(db, cipher, clock)
  const applications = createApplicationCache(db)
  const revocations = createRevocations(clock)
  const verified = createVerifiedTokens()

  function receive(announcement: Announcement): void {
    const { topic, key } = announcement
    switch (topic) {
      case 'application':
        return applications.forget(key)
      case 'revocation':
        return revocations.receive(announcement)
      case 'keys':
        return void keys.reload().catch(failed('the signing keys could not be read again'))
      default:
        return log.warn({ topic }, 'an announcement that this version does not know')
    }
  }
  const feed = await followAnnouncements(
    db,
    (announcements) => announcements.forEach(receive),
    failed('announcements could not be read'),
    askTime,
  )
  const limiter = startRateLimiter(db, failed('rate limits could not be settled'))
  const secretUses = startSecretUses(db, failed('the last use of client secrets could not be written'))
  const requestLog = startRequestLog(db, {
    lost: (why, count) => deps.metrics.requestLogLost.labels(why).inc(count),
    failed: failed('the request log could not be written'),
  })

  const { mailer, mailbox } = deps.mail
  const mailboxUrl = mailbox && '/demo/mailbox'
  const afterwards = startAfterwards((what, error) => log.warn({ err: error, task: what }, 'not done after an answer'))

  const browsers: BrowserTools = {
    db,
    cookies: cookieJar(authUrl.startsWith('https:')),
    csrfKey: cipher.derive('csrf', 32),
    origin: authUrl,
  }
  const tokens: Issuer = { issuer, keys, accessTokenAlgorithm: config.accessTokenAlgorithm }
  const bearer: BearerCheck = { issuer, keys, revocations, verified, clock, applications }
  return {
    api: {
      db,
      cipher,
      registration: gatheredRegistration(db, cipher),
      bearer,
      audiences: config.audiences,
      limiter,
      targets: { loopbackAllowed: config.demo },
      bell,
      requestLog,
      streams: startListenerStreams({
        db,
        cipher,
        audiences: config.audiences,
        bell,
        failed: failed('listeners could not be handed what waits for them'),
      }),
      tokens,
    },
    platformApi: { db, afterwards, audiences: config.audiences, bell },
    portal: {
      db,
      browsers,
      passwords,
      cipher,
      clock,
      mailer,
      afterwards,
      mailboxUrl,
      authUrl,
      audiences: config.audiences,
      limiter,
      targets: { loopbackAllowed: config.demo },
      bell,
    },
    support: {
      db,
      browsers,
      passwords,
      cipher,
      clock,
      mailer,
      afterwards,
      authUrl,
      audiences: config.audiences,
      bell,
      version: VERSION,
      secondFactorRequired: !config.demo,
    },
    tools: {
      db,
      rotateRefreshToken: createRotation(db),
      issuer: tokens,
      audiences: config.audiences,
      clock,
      passwords,
    },
    clientAuth: { applications, secretUses, clientFailures: createClientFailures(db), clock },
    bearer,
    limiter,
    keys,
    requestLog,
    pages: {
      db,
      issuer: tokens,
      clock,
      passwords,
      cipher,
      browsers,
      authUrl,
      mailer,
      afterwards,
      mailboxUrl,
      signUpIsOn: mailer !== null,
      reader: {
        applications,
        audiences: config.audiences,
        hintedUser: async (hint, clientId) => {
          const person = await readIdTokenHint({ issuer, keys }, hint)
          return person?.applicationId === clientId ? person.userId : null
        },
      },
    },
    mailbox,
    stop: async () => {
      await Promise.all([feed.stop(), limiter.stop(), secretUses.stop(), afterwards.stop(), requestLog.stop()])
    },
  }
}
