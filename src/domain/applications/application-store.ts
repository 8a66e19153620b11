import type { DbOrTransaction } from '../../platform/db.ts'
import { newId } from '../../platform/ids.ts'
import { secretHash } from '../../platform/opaque-secret.ts'
import type { Application } from './application.ts'

/** Answers whether the application is new; one that is already there is left as it is. */
export async function insertApplication(db: DbOrTransaction, application: Application): Promise<boolean> {
  const inserted = await db`
    insert into applications (
      id, name, logo_url, type, redirect_uris, web_origins, post_logout_redirect_uris, implicit, id_token_algorithm,
      strict_oidc, token_endpoint_authentication, api_scopes, environments, client_credentials, password_grant,
      refresh_lifetime_seconds, refresh_rotating, refresh_leeway_seconds, rate_per_second, rate_burst, first_party,
      suspended_at
    ) values (
      ${application.id}, ${application.name}, ${application.logoUrl}, ${application.type}, ${application.redirectUris},
      ${application.webOrigins}, ${application.postLogoutRedirectUris}, ${application.implicit},
      ${application.idTokenAlgorithm}, ${application.strictOidc}, ${application.tokenEndpointAuthentication},
      ${application.apiScopes}, ${application.environments}, ${application.clientCredentials},
      ${application.passwordGrant}, ${application.refreshLifetimeSeconds}, ${application.refreshRotating},
      ${application.refreshLeewaySeconds}, ${application.ratePerSecond}, ${application.rateBurst},
      ${application.firstParty}, case when ${application.suspended} then now() end
    )
    on conflict (id) do nothing
    returning id`
  return inserted.length === 1
}

export async function insertApplicationSecret(
  db: DbOrTransaction,
  applicationId: string,
  name: string,
  secret: string,
): Promise<void> {
  await db`
    insert into application_secrets (id, application_id, name, secret_hash)
    values (${newId('sec')}, ${applicationId}, ${name}, ${secretHash(secret)})`
}

/** Adds a callback URL unless it is registered already. */
export async function registerRedirectUri(
  db: DbOrTransaction,
  applicationId: string,
  redirectUri: string,
): Promise<void> {
  await db`
    update applications set redirect_uris = array_append(redirect_uris, ${redirectUri}), updated_at = now()
    where id = ${applicationId} and not redirect_uris @> array[${redirectUri}]`
}
