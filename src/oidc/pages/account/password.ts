import type { FastifyInstance, FastifyReply } from 'fastify'
import { setNewPassword } from '../../../domain/sessions/new-password-store.ts'
import { passwordFault } from '../../../domain/users/password-rules.ts'
import { sendPage } from '../../../http/page.ts'
import { passwordChangedMail } from '../../../ui/account-mails.ts'
import type { PasswordFaults } from '../../../ui/change-password.ts'
import { SIGNED_OUT } from '../new-password.ts'
import type { PageParts } from '../page-parts.ts'
import { tryPassword } from '../try-password.ts'
import { backDone } from './done.ts'
import { ownForm, ownPage, type Visit } from './own-page.ts'
import { passwordPage } from './password-view.ts'

/** The current password is asked for, whoever has the session; the new one ends all other sessions and refresh tokens. */
export function passwordRoutes(app: FastifyInstance, parts: PageParts): void {
  app.get(
    '/account/password',
    ownPage(parts, async (visit) => show(visit, 200, {})),
  )

  app.post(
    '/account/password',
    ownForm(parts, async (visit, form) => {
      const { user, sid } = visit.session
      const fresh = form.get('new_password') ?? ''
      const fault = passwordFault(fresh, user)
      if (fault !== null) return show(visit, 400, { fresh: fault })
      const tried = await tryPassword(parts, visit.browser, user.email, form.get('password') ?? '')
      if (tried.outcome === 'refused') return show(visit, tried.status, { page: tried.message })
      if (tried.outcome === 'wrong') return show(visit, 400, { password: 'That is not your password.' })
      const passwordHash = await parts.passwords.hash(fresh)
      if (passwordHash === null) return show(visit, 503, { page: 'The service is busy. Try again in a moment.' })
      await setNewPassword(parts.db, { userId: user.id, passwordHash, exceptSid: sid })
      parts.afterwards.run('tell of a new password', async () =>
        parts.mailer?.send(passwordChangedMail(user.email, `${parts.authUrl}/oidc/reset`, SIGNED_OUT)),
      )
      return backDone(visit.reply, 'password')
    }),
  )
}

function show({ reply, browser, session }: Visit, status: number, faults: PasswordFaults): FastifyReply {
  return sendPage(reply, status, passwordPage({ csrf: browser.csrf, email: session.user.email, faults }))
}
