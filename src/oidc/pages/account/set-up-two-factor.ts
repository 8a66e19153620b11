import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Session } from '../../../domain/sessions/session.ts'
import { newRecoveryCodes } from '../../../domain/users/recovery-code.ts'
import { matchingStep, newTotpSecret } from '../../../domain/users/totp.ts'
import { secretOfSetUp, totpSetUp } from '../../../domain/users/totp-set-up.ts'
import { enrolTotp, hasTotp } from '../../../domain/users/totp-store.ts'
import type { User } from '../../../domain/users/user.ts'
import { sendPage } from '../../../http/page.ts'
import { twoFactorMail } from '../../../ui/account-mails.ts'
import { type ProofFaults, WRONG_CODE } from '../../../ui/two-factor.ts'
import type { PageParts } from '../page-parts.ts'
import { tryPassword } from '../try-password.ts'
import { ownForm, ownPage, type Visit } from './own-page.ts'
import { setUpPage } from './set-up-two-factor-view.ts'
import { recoveryCodesPage } from './two-factor-view.ts'

/**
 * /oidc/account/two-factor/set-up. The secret travels in the form, encrypted for this person and session, until a right
 * code shows that their app has it: nothing is stored that is only half set up, and no second page shows it again.
 */
export function setUpTwoFactorRoutes(app: FastifyInstance, parts: PageParts): void {
  const { db, cipher, clock } = parts

  app.get(
    '/account/two-factor/set-up',
    ownPage(parts, async (visit) =>
      (await hasTotp(db, visit.session.user.id)) ? isOnAlready(visit) : show(visit, newTotpSecret(), 200, {}),
    ),
  )

  app.post(
    '/account/two-factor/set-up',
    ownForm(parts, async (visit, form) => {
      const { user } = visit.session
      const secret = secretOfSetUp(cipher, contextOf(visit.session), form.get('secret'))
      if (secret === null) return show(visit, newTotpSecret(), 400, { page: 'Please scan the new code below.' })
      const tried = await tryPassword(parts, visit.browser, user.email, form.get('password') ?? '')
      if (tried.outcome === 'refused') return show(visit, secret, tried.status, { page: tried.message })
      if (tried.outcome === 'wrong') return show(visit, secret, 400, { password: 'That is not your password.' })
      const step = matchingStep(secret, form.get('code') ?? '', clock())
      if (step === null) return show(visit, secret, 400, { code: WRONG_CODE })
      const recoveryCodes = newRecoveryCodes()
      if (!(await enrolTotp(db, cipher, { userId: user.id, secret, step, recoveryCodes }))) return isOnAlready(visit)
      tellOfTwoFactor(parts, user, 'on')
      // Shown in the answer itself and nowhere else: they are not kept, so there is no page to go back to.
      return sendPage(visit.reply, 200, recoveryCodesPage(recoveryCodes, 'turned-on'))
    }),
  )

  function show({ reply, browser, session }: Visit, secret: Buffer, status: number, faults: ProofFaults): FastifyReply {
    const { email } = session.user
    const setUp = totpSetUp(cipher, contextOf(session), email, secret)
    return sendPage(reply, status, setUpPage({ csrf: browser.csrf, email, setUp, faults }))
  }
}

/** The owner hears of it wherever it was done. */
export function tellOfTwoFactor(
  { afterwards, mailer, authUrl }: PageParts,
  { email }: User,
  what: Parameters<typeof twoFactorMail>[2],
): void {
  afterwards.run('tell of two-factor sign-in', async () =>
    mailer?.send(twoFactorMail(email, `${authUrl}/oidc/reset`, what)),
  )
}

function isOnAlready({ reply }: Visit): FastifyReply {
  return reply.code(303).header('location', '/oidc/account/two-factor').send()
}

function contextOf({ user, sid }: Session): string {
  return `totp set-up of ${user.id} in ${sid}`
}
