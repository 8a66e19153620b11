import type { Door } from '../http/door.ts'
import { takeFormsOnly } from '../http/form.ts'
import { sendPage } from '../http/page.ts'
import { portalErrorPage } from '../ui/portal-layout.ts'
import { accountRoutes } from './account/account.ts'
import { addPasskeyRoutes } from './account/add-passkey.ts'
import { accountLogRoutes } from './account/log.ts'
import { passkeyRoutes } from './account/passkey.ts'
import { passkeysRoutes } from './account/passkeys.ts'
import { passwordRoutes } from './account/password.ts'
import { setUpTwoFactorRoutes } from './account/set-up-two-factor.ts'
import { twoFactorRoutes } from './account/two-factor.ts'
import { applicationsRoutes } from './applications/applications.ts'
import { createRoutes } from './applications/create.ts'
import { deleteRoutes } from './applications/delete.ts'
import { overviewRoutes } from './applications/overview.ts'
import { secretsRoutes } from './applications/secrets.ts'
import { settingsRoutes } from './applications/settings.ts'
import { testPersonRoutes } from './applications/test-person.ts'
import { askSupportRoutes } from './ask-support/ask-support.ts'
import { auditRoutes } from './audit/audit.ts'
import { allowRoutes } from './command-line/allow.ts'
import { commandLineRoutes } from './command-line/command-line.ts'
import { commandLineKeyRoutes } from './command-line/keys.ts'
import { debuggerRoutes } from './debugger/debugger.ts'
import { deliveryListRoutes } from './deliveries/deliveries.ts'
import { deliveryRoutes } from './deliveries/delivery.ts'
import { replayRoutes } from './deliveries/replays.ts'
import { codeRoutes } from './entry/code.ts'
import { joinRoutes } from './entry/join.ts'
import { passkeySignInRoutes } from './entry/passkey-sign-in.ts'
import { resetRoutes } from './entry/reset.ts'
import { signInRoutes } from './entry/sign-in.ts'
import { signUpRoutes } from './entry/sign-up.ts'
import { verifyRoutes } from './entry/verify.ts'
import { quickStartRoutes } from './quick-start/quick-start.ts'
import { requestRoutes } from './requests/requests.ts'
import { inviteRoutes } from './team/invite.ts'
import { memberRoutes } from './team/member.ts'
import { membershipRoutes } from './team/membership.ts'
import { teamRoutes } from './team/team.ts'
import { hangRoutes, type PortalRoute } from './threshold/hang-routes.ts'
import type { PortalParts } from './threshold/parts.ts'
import { deleteWebhookRoutes } from './webhooks/delete-webhook.ts'
import { editWebhookRoutes } from './webhooks/edit-webhook.ts'
import { newWebhookRoutes } from './webhooks/new-webhook.ts'
import { webhookSecretRoutes } from './webhooks/secrets.ts'
import { switchWebhookRoutes } from './webhooks/switch-webhook.ts'
import { testEventRoutes } from './webhooks/test-event.ts'
import { webhookRoutes } from './webhooks/webhook.ts'
import { webhookListRoutes } from './webhooks/webhooks.ts'

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
    ...passkeySignInRoutes(parts),
    ...codeRoutes(parts),
    ...resetRoutes(parts),
    ...joinRoutes(parts),
    ...teamRoutes(parts),
    ...membershipRoutes(parts),
    ...memberRoutes(parts),
    ...inviteRoutes(parts),
    ...applicationsRoutes(parts),
    ...createRoutes(parts),
    ...overviewRoutes(parts),
    ...settingsRoutes(parts),
    ...secretsRoutes(parts),
    ...commandLineKeyRoutes(parts),
    ...testPersonRoutes(parts),
    ...deleteRoutes(parts),
    ...quickStartRoutes(parts),
    ...webhookListRoutes(parts),
    ...newWebhookRoutes(parts),
    ...webhookRoutes(parts),
    ...webhookSecretRoutes(parts),
    ...switchWebhookRoutes(parts),
    ...editWebhookRoutes(parts),
    ...deleteWebhookRoutes(parts),
    ...testEventRoutes(parts),
    ...deliveryListRoutes(parts),
    ...deliveryRoutes(parts),
    ...replayRoutes(parts),
    ...commandLineRoutes(),
    ...allowRoutes(parts),
    ...askSupportRoutes(parts),
    ...debuggerRoutes(parts),
    ...requestRoutes(parts),
    ...auditRoutes(parts),
    ...accountRoutes(parts),
    ...passwordRoutes(parts),
    ...passkeysRoutes(parts),
    ...addPasskeyRoutes(parts),
    ...passkeyRoutes(parts),
    ...accountLogRoutes(parts),
    ...twoFactorRoutes(parts),
    ...setUpTwoFactorRoutes(parts),
  ]
}
