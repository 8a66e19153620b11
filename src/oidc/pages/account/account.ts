import type { FastifyInstance } from 'fastify'
import { connectedApplications, revokeConsent } from '../../../domain/consents/consent-store.ts'
import { endSessionOf, endSessionsOf, listSessions } from '../../../domain/sessions/session-store.ts'
import { environmentOf } from '../../../domain/tokens/audience.ts'
import { findTotp } from '../../../domain/users/totp-store.ts'
import { sendPage } from '../../../http/page.ts'
import type { PageParts } from '../page-parts.ts'
import { accountPage } from './account-view.ts'
import { backDone, doneText } from './done.ts'
import { ownForm, ownPage } from './own-page.ts'
import { passwordRoutes } from './password.ts'
import { profileRoutes } from './profile.ts'
import { twoFactorRoutes } from './two-factor.ts'

/** /oidc/account: the person's own page, with their connected applications and their sessions (decision B20). */
export function accountRoutes(app: FastifyInstance, parts: PageParts): void {
  const { db, reader } = parts

  app.get(
    '/account',
    ownPage(parts, async ({ request, reply, browser, session }) => {
      const [applications, sessions, totp] = await Promise.all([
        connectedApplications(db, session.user.id),
        listSessions(db, session.user.id),
        findTotp(db, session.user.id),
      ])
      const markup = accountPage({
        csrf: browser.csrf,
        done: doneText(request),
        user: session.user,
        totp,
        applications: applications.map((application) => ({
          ...application,
          environments: application.audiences.flatMap((audience) => environmentOf(audience, reader.audiences) ?? []),
        })),
        sessions: sessions.map((each) => ({ ...each, isThisOne: each.sid === session.sid })),
      })
      return sendPage(reply, 200, markup)
    }),
  )

  app.post(
    '/account/applications/revoke',
    ownForm(parts, async ({ reply, session }, form) => {
      const connected = await connectedApplications(db, session.user.id)
      const application = connected.find(({ id }) => id === form.get('application'))
      if (application !== undefined) await revokeConsent(db, session.user.id, application.id)
      return backDone(reply, 'application')
    }),
  )

  app.post(
    '/account/sessions/end',
    ownForm(parts, async ({ reply, session }, form) => {
      await endSessionOf(db, session.user.id, form.get('session') ?? '')
      return backDone(reply, 'session')
    }),
  )

  app.post(
    '/account/sessions/end-others',
    ownForm(parts, async ({ reply, session }) => {
      await endSessionsOf(db, session.user.id, session.sid)
      return backDone(reply, 'sessions')
    }),
  )

  profileRoutes(app, parts)
  passwordRoutes(app, parts)
  twoFactorRoutes(app, parts)
}
