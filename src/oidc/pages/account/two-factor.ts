import type { FastifyInstance, FastifyReply } from 'fastify'
import { newRecoveryCodes } from '../../../domain/users/recovery-code.ts'
import { findTotp, hasTotp, removeTotp, replaceRecoveryCodes } from '../../../domain/users/totp-store.ts'
import type { Form } from '../../../http/form.ts'
import { sendPage } from '../../../http/page.ts'
import { type ProofFaults, TOO_MANY_CODES, WRONG_CODE } from '../../../ui/two-factor.ts'
import type { PageParts } from '../page-parts.ts'
import { tryCode } from '../try-code.ts'
import { tryPassword } from '../try-password.ts'
import { backDone } from './done.ts'
import { ownForm, ownPage, type Visit } from './own-page.ts'
import { setUpTwoFactorRoutes, tellOfTwoFactor } from './set-up-two-factor.ts'
import { provenPage, recoveryCodesPage, twoFactorPage } from './two-factor-view.ts'

/** /oidc/account/two-factor: what makes signing in weaker again needs the password and a code, like signing in itself. */
export function twoFactorRoutes(app: FastifyInstance, parts: PageParts): void {
  const { db } = parts

  app.get(
    '/account/two-factor',
    ownPage(parts, async ({ reply, session }) => {
      const totp = await findTotp(db, session.user.id)
      return totp === null ? toSetUp(reply) : sendPage(reply, 200, twoFactorPage(totp))
    }),
  )

  setUpTwoFactorRoutes(app, parts)

  provenRoutes('turn-off', async ({ reply, session }) => {
    await removeTotp(db, session.user.id)
    tellOfTwoFactor(parts, session.user, 'off')
    return backDone(reply, 'two-factor-off')
  })

  provenRoutes('recovery-codes', async ({ reply, session }) => {
    const codes = newRecoveryCodes()
    if (!(await replaceRecoveryCodes(db, session.user.id, codes))) return toSetUp(reply)
    tellOfTwoFactor(parts, session.user, 'new-codes')
    // Shown in the answer itself and nowhere else: they are not kept, so there is no page to go back to.
    return sendPage(reply, 200, recoveryCodesPage(codes, 'new'))
  })

  function provenRoutes(what: 'turn-off' | 'recovery-codes', act: (visit: Visit) => Promise<FastifyReply>): void {
    const show = ({ reply, browser, session }: Visit, status: number, faults: ProofFaults) =>
      sendPage(reply, status, provenPage({ what, csrf: browser.csrf, email: session.user.email, faults }))

    app.get(
      `/account/two-factor/${what}`,
      ownPage(parts, async (visit) =>
        (await hasTotp(db, visit.session.user.id)) ? show(visit, 200, {}) : toSetUp(visit.reply),
      ),
    )
    app.post(
      `/account/two-factor/${what}`,
      ownForm(parts, async (visit, form) => {
        const refused = await prove(parts, visit, form)
        return refused === null ? act(visit) : show(visit, refused.status, refused.faults)
      }),
    )
  }
}

type Refused = { status: number; faults: ProofFaults }

/** Null when password and code are right. The password comes first, so that no code is spent on a wrong one. */
async function prove(parts: PageParts, { browser, session }: Visit, form: Form): Promise<Refused | null> {
  const tried = await tryPassword(parts, browser, session.user.email, form.get('password') ?? '')
  if (tried.outcome === 'refused') return { status: tried.status, faults: { page: tried.message } }
  if (tried.outcome === 'wrong') return { status: 400, faults: { password: 'That is not your password.' } }
  switch (await tryCode(parts, browser, session.user.id, form.get('code') ?? '')) {
    case 'too-many':
      return { status: 429, faults: { page: TOO_MANY_CODES } }
    case 'wrong':
      return { status: 400, faults: { code: WRONG_CODE } }
    case 'right':
      return null
  }
}

function toSetUp(reply: FastifyReply): FastifyReply {
  return reply.code(303).header('location', '/oidc/account/two-factor/set-up').send()
}
