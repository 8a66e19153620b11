import type { Door } from '../http/door.ts'
import { takeFormsOnly } from '../http/form.ts'
import { sendPage } from '../http/page.ts'
import { supportErrorPage } from '../ui/support-layout.ts'
import { accountRoutes } from './account/account.ts'
import { passwordRoutes } from './account/password.ts'
import { setUpTwoFactorRoutes } from './account/set-up-two-factor.ts'
import { twoFactorRoutes } from './account/two-factor.ts'
import { applicationRoutes } from './application/application.ts'
import { changeSettingRoutes } from './application/change-setting.ts'
import { suspendRoutes } from './application/suspend.ts'
import { auditRoutes } from './audit/audit.ts'
import { exportRoutes } from './audit/export.ts'
import { deliveriesRoutes } from './deliveries/deliveries.ts'
import { deliveryRoutes } from './deliveries/delivery.ts'
import { choosePasswordRoutes } from './entry/choose-password.ts'
import { codeRoutes } from './entry/code.ts'
import { signInRoutes } from './entry/sign-in.ts'
import { findRoutes } from './find/find.ts'
import { healthRoutes } from './health/health.ts'
import { rotateKeysRoutes } from './health/rotate-keys.ts'
import { integratorRoutes } from './integrator/integrator.ts'
import { integratorActRoutes } from './integrator/integrator-acts.ts'
import { answerRoutes } from './queue/answer.ts'
import { queueRoutes } from './queue/queue.ts'
import { teamRoutes } from './team/team.ts'
import { hangRoutes, type SupportRoute } from './threshold/hang-routes.ts'
import type { SupportParts } from './threshold/parts.ts'
import { userRoutes } from './user/user.ts'
import { userActRoutes } from './user/user-acts.ts'
import { webhookRoutes } from './webhook/webhook.ts'

/** Where support answers, looks things up, and changes what only support may change. */
export function supportDoor(parts: SupportParts): Door {
  return {
    name: 'support',
    prefix: '/support',
    routes: (app) => {
      takeFormsOnly(app)
      hangRoutes(app, parts, supportRoutes(parts))
    },
    answer: (problem, request, reply) =>
      sendPage(reply.headers(problem.headers), problem.status, supportErrorPage(problem, request.id)),
  }
}

/** Every page and form of the console, each with its rule: getting in, the queue, what it is about, the log, the account. */
export function supportRoutes(parts: SupportParts): SupportRoute[] {
  return [
    ...signInRoutes(parts),
    ...codeRoutes(parts),
    ...choosePasswordRoutes(parts),
    ...queueRoutes(parts),
    ...answerRoutes(parts),
    ...findRoutes(parts),
    ...applicationRoutes(parts),
    ...changeSettingRoutes(parts),
    ...suspendRoutes(parts),
    ...teamRoutes(parts),
    ...userRoutes(parts),
    ...userActRoutes(parts),
    ...integratorRoutes(parts),
    ...integratorActRoutes(parts),
    ...deliveriesRoutes(parts),
    ...deliveryRoutes(parts),
    ...webhookRoutes(parts),
    ...healthRoutes(parts),
    ...rotateKeysRoutes(parts),
    ...auditRoutes(parts),
    ...exportRoutes(parts),
    ...accountRoutes(parts),
    ...passwordRoutes(parts),
    ...twoFactorRoutes(parts),
    ...setUpTwoFactorRoutes(parts),
  ]
}
