import type { DbOrTransaction } from '../../platform/db.ts'
import { findApplication } from '../applications/application-store.ts'
import type { AuditState } from '../audit/audit.ts'
import type { SupportSetting } from './setting-definitions.ts'
import type { SupportChange } from './setting-input.ts'
import { settingState } from './support-setting.ts'

/** Null when there is no such application any more. Who calls writes it down, in the same transaction. */
export type AppliedSetting = { before: AuditState; after: AuditState } | null

/**
 * Sets what support alone may set, for an approved request and for a change by support itself. The application is held, so
 * that two changes never mix; every process knows of it within a second, by the trigger that announces applications.
 */
export async function applySupportSetting(
  tx: DbOrTransaction,
  applicationId: string,
  setting: SupportSetting,
  wanted: SupportChange,
): Promise<AppliedSetting> {
  await tx`select 1 from applications where id = ${applicationId} for update`
  const application = await findApplication(tx, applicationId)
  if (application === null) return null
  const next = { ...application, ...wanted }
  await tx`
    update applications set
      token_endpoint_authentication = ${next.tokenEndpointAuthentication}, api_scopes = ${next.apiScopes},
      environments = ${next.environments}, client_credentials = ${next.clientCredentials},
      password_grant = ${next.passwordGrant}, post_logout_redirect_uris = ${next.postLogoutRedirectUris},
      refresh_lifetime_seconds = ${next.refreshLifetimeSeconds}, refresh_rotating = ${next.refreshRotating},
      refresh_leeway_seconds = ${next.refreshLeewaySeconds}, rate_per_second = ${next.ratePerSecond},
      rate_burst = ${next.rateBurst}, api_rate_per_second = ${next.apiRatePerSecond},
      api_rate_burst = ${next.apiRateBurst}, webhooks_per_person = ${next.webhooksPerPerson},
      webhooks_per_application = ${next.webhooksPerApplication}, first_party = ${next.firstParty},
      suspended_at = case when ${next.suspended} then coalesce(suspended_at, now()) end, updated_at = now()
    where id = ${applicationId}`
  return { before: settingState(setting, application), after: settingState(setting, next) }
}
