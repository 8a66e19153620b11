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
import { afterwards, errandFields, errandOf, withErrand } from './errand.ts'

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
    const errand = errandOf(parts, visit)
    if (integrator === null) return goTo(reply, withErrand('/sign-in', errand))
    const kind: CodeKind = form.has('recovery_code') ? 'recovery' : 'totp'
    switch (await tryCode(parts, browser, integrator, form.get('recovery_code') ?? form.get('code') ?? '')) {
      case 'wrong':
        return show(parts, visit, kind, 400, kind === 'recovery' ? WRONG_RECOVERY_CODE : WRONG_CODE)
      case 'too-many':
        return show(parts, visit, kind, 429, TOO_MANY_CODES)
      case 'right':
        // A new password since then ends it.
        if (!(await endPendingSignIn(db, browser.id, integrator.id))) return goTo(reply, withErrand('/sign-in', errand))
        await signInBrowser(parts, reply, browser, integrator.id)
        return goTo(reply, afterwards(errand))
    }
  }

  return [
    {
      method: 'GET',
      path: '/code',
      who: 'anyone',
      answer: async (visit) => {
        if ((await whoseCode(visit)) === null) return goTo(visit.reply, withErrand('/sign-in', errandOf(parts, visit)))
        return show(parts, visit, visit.query.get('with') === 'recovery' ? 'recovery' : 'totp', 200, null)
      },
    },
    { method: 'POST', path: '/code', who: 'anyone', answer: takeCode },
  ]
}

function show(parts: PortalParts, visit: Visit, kind: CodeKind, status: number, error: string | null): FastifyReply {
  const errand = errandOf(parts, visit)
  const app = `/portal${withErrand('/code', errand)}`
  const links = {
    app,
    recovery: `${app}${errand === null ? '?' : '&'}with=recovery`,
    signIn: `/portal${withErrand('/sign-in', errand)}`,
  }
  const content = { action: '/portal/code', keep: errandFields(visit.browser.csrf, errand), links, error }
  const markup =
    kind === 'recovery'
      ? portalEntryPage('Use a recovery code', recoveryContent(content))
      : portalEntryPage('Enter your code', totpContent(content))
  return sendPage(visit.reply, status, markup)
}
