import type { FastifyReply } from 'fastify'
import { findIntegrator } from '../../domain/integrators/integrator-store.ts'
import { endPendingSignIn, findPendingSignIn } from '../../domain/integrators/pending-sign-in-store.ts'
import { sendPage } from '../../http/page.ts'
import { portalEntryPage } from '../../ui/portal-layout.ts'
import { recoveryContent, TOO_MANY_CODES, totpContent, WRONG_CODE, WRONG_RECOVERY_CODE } from '../../ui/two-factor.ts'
import type { PortalRoute } from '../threshold/hang-routes.ts'
import type { PortalParts } from '../threshold/parts.ts'
import { signInBrowser } from '../threshold/sign-in-browser.ts'
import { tryCode } from '../threshold/try-code.ts'
import { goTo, type Visit } from '../threshold/visit.ts'
import { hiddenFields, invitationOf, onwards, withInvitation } from './invitation.ts'

type CodeKind = 'totp' | 'recovery'

/** /portal/code: the step between a right password and the session. Whose code is awaited is stored for the browser. */
export function codeRoutes(parts: PortalParts): PortalRoute[] {
  const { db } = parts

  /** Null when the password was never right here, or too long ago. */
  async function whoseCode({ browser }: Visit) {
    const id = await findPendingSignIn(db, browser.id)
    return id === null ? null : findIntegrator(db, id)
  }

  async function takeCode(visit: Visit): Promise<FastifyReply> {
    const { form, reply, browser } = visit
    const integrator = await whoseCode(visit)
    const invitation = invitationOf(visit)
    if (integrator === null) return goTo(reply, withInvitation('/sign-in', invitation))
    const kind: CodeKind = form.has('recovery_code') ? 'recovery' : 'totp'
    switch (await tryCode(parts, browser, integrator, form.get('recovery_code') ?? form.get('code') ?? '')) {
      case 'wrong':
        return show(visit, kind, 400, kind === 'recovery' ? WRONG_RECOVERY_CODE : WRONG_CODE)
      case 'too-many':
        return show(visit, kind, 429, TOO_MANY_CODES)
      case 'right':
        // A new password since then ends it.
        if (!(await endPendingSignIn(db, browser.id, integrator.id)))
          return goTo(reply, withInvitation('/sign-in', invitation))
        await signInBrowser(parts, reply, browser, integrator.id)
        return goTo(reply, onwards(invitation))
    }
  }

  return [
    {
      method: 'GET',
      path: '/code',
      who: 'anyone',
      answer: async (visit) => {
        if ((await whoseCode(visit)) === null) return goTo(visit.reply, withInvitation('/sign-in', invitationOf(visit)))
        return show(visit, visit.query.get('with') === 'recovery' ? 'recovery' : 'totp', 200, null)
      },
    },
    { method: 'POST', path: '/code', who: 'anyone', answer: takeCode },
  ]
}

function show(visit: Visit, kind: CodeKind, status: number, error: string | null): FastifyReply {
  const invitation = invitationOf(visit)
  const app = `/portal${withInvitation('/code', invitation)}`
  const links = {
    app,
    recovery: `${app}${invitation === null ? '?' : '&'}with=recovery`,
    signIn: `/portal${withInvitation('/sign-in', invitation)}`,
  }
  const content = { action: '/portal/code', keep: hiddenFields(visit.browser.csrf, invitation), links, error }
  const markup =
    kind === 'recovery'
      ? portalEntryPage('Use a recovery code', recoveryContent(content))
      : portalEntryPage('Enter your code', totpContent(content))
  return sendPage(visit.reply, status, markup)
}
