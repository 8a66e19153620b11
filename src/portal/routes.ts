import type { Door } from '../http/door.ts'
import { takeFormsOnly } from '../http/form.ts'
import { sendPage } from '../http/page.ts'
import { portalErrorPage } from '../ui/portal-layout.ts'
import { accountRoutes } from './account/account.ts'
import { passwordRoutes } from './account/password.ts'
import { setUpTwoFactorRoutes } from './account/set-up-two-factor.ts'
import { twoFactorRoutes } from './account/two-factor.ts'
import { auditRoutes } from './audit/audit.ts'
import { codeRoutes } from './entry/code.ts'
import { joinRoutes } from './entry/join.ts'
import { resetRoutes } from './entry/reset.ts'
import { signInRoutes } from './entry/sign-in.ts'
import { signUpRoutes } from './entry/sign-up.ts'
import { verifyRoutes } from './entry/verify.ts'
import { inviteRoutes } from './team/invite.ts'
import { memberRoutes } from './team/member.ts'
import { membershipRoutes } from './team/membership.ts'
import { teamRoutes } from './team/team.ts'
import { hangRoutes, type PortalRoute } from './threshold/hang-routes.ts'
import type { PortalParts } from './threshold/parts.ts'

/** Where integrators run their teams. */
export function portalDoor(parts: PortalParts): Door {
  return {
    name: 'portal',
    prefix: '/portal',
    routes: (app) => {
      takeFormsOnly(app)
      hangRoutes(app, parts, portalRoutes(parts))
    },
    answer: (problem, request, reply) =>
      sendPage(reply.headers(problem.headers), problem.status, portalErrorPage(problem, request.id)),
  }
}

/** Every page and form of the portal, each with its rule: getting in, the team, its log, the account. */
export function portalRoutes(parts: PortalParts): PortalRoute[] {
  return [
    ...signUpRoutes(parts),
    ...verifyRoutes(parts),
    ...signInRoutes(parts),
    ...codeRoutes(parts),
    ...resetRoutes(parts),
    ...joinRoutes(parts),
    ...teamRoutes(parts),
    ...membershipRoutes(parts),
    ...memberRoutes(parts),
    ...inviteRoutes(parts),
    ...auditRoutes(parts),
    ...accountRoutes(parts),
    ...passwordRoutes(parts),
    ...twoFactorRoutes(parts),
    ...setUpTwoFactorRoutes(parts),
  ]
}
