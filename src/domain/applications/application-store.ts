import type { DbOrTransaction } from '../../platform/db.ts'
import { newId } from '../../platform/ids.ts'
import { secretHash } from '../../platform/opaque-secret.ts'
import type { Environment } from '../environment.ts'
import type {
  ApiScope,
  Application,
  ApplicationType,
  IdTokenAlgorithm,
  TokenEndpointAuthentication,
} from './application.ts'

export type ClientSecret = { id: string; hash: Buffer }

/** An application with the secrets it may prove itself with. */
export type RegisteredApplication = Application & { secrets: ClientSecret[] }

/** Answers whether the application is new; one that is already there is left as it is. */
export async function insertApplication(db: DbOrTransaction, application: Application): Promise<boolean> {
  const inserted = await db`
    insert into applications (
      id, name, logo_url, type, redirect_uris, web_origins, post_logout_redirect_uris, implicit, id_token_algorithm,
      strict_oidc, token_endpoint_authentication, api_scopes, environments, client_credentials, password_grant,
      refresh_lifetime_seconds, refresh_rotating, refresh_leeway_seconds, rate_per_second, rate_burst,
      api_rate_per_second, api_rate_burst, webhooks_per_person, webhooks_per_application, first_party, suspended_at
    ) values (
      ${application.id}, ${application.name}, ${application.logoUrl}, ${application.type}, ${application.redirectUris},
      ${application.webOrigins}, ${application.postLogoutRedirectUris}, ${application.implicit},
      ${application.idTokenAlgorithm}, ${application.strictOidc}, ${application.tokenEndpointAuthentication},
      ${application.apiScopes}, ${application.environments}, ${application.clientCredentials},
      ${application.passwordGrant}, ${application.refreshLifetimeSeconds}, ${application.refreshRotating},
      ${application.refreshLeewaySeconds}, ${application.ratePerSecond}, ${application.rateBurst},
      ${application.apiRatePerSecond}, ${application.apiRateBurst}, ${application.webhooksPerPerson},
      ${application.webhooksPerApplication},
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

/** Adds an address to return to after logout unless it is allowed already. */
export async function registerPostLogoutRedirectUri(
  db: DbOrTransaction,
  applicationId: string,
  uri: string,
): Promise<void> {
  await db`
    update applications set post_logout_redirect_uris = array_append(post_logout_redirect_uris, ${uri}), updated_at = now()
    where id = ${applicationId} and not post_logout_redirect_uris @> array[${uri}]`
}

type ApplicationRow = {
  id: string
  name: string
  logo_url: string | null
  type: ApplicationType
  redirect_uris: string[]
  web_origins: string[]
  post_logout_redirect_uris: string[]
  implicit: boolean
  id_token_algorithm: IdTokenAlgorithm
  strict_oidc: boolean
  token_endpoint_authentication: TokenEndpointAuthentication
  api_scopes: ApiScope[]
  environments: Environment[]
  client_credentials: boolean
  password_grant: boolean
  refresh_lifetime_seconds: number
  refresh_rotating: boolean
  refresh_leeway_seconds: number
  rate_per_second: number
  rate_burst: number
  api_rate_per_second: number
  api_rate_burst: number
  webhooks_per_person: number
  webhooks_per_application: number
  first_party: boolean
  suspended: boolean
  secret_ids: string[]
  secret_hashes: Buffer[]
}

/** A deleted application does not exist any more for anybody who asks here. */
export async function findApplication(db: DbOrTransaction, id: string): Promise<RegisteredApplication | null> {
  const [row] = await db<ApplicationRow[]>`
    select id, name, logo_url, type, redirect_uris, web_origins, post_logout_redirect_uris, implicit, id_token_algorithm,
           strict_oidc, token_endpoint_authentication, api_scopes, environments, client_credentials, password_grant,
           refresh_lifetime_seconds, refresh_rotating, refresh_leeway_seconds, rate_per_second, rate_burst,
           api_rate_per_second, api_rate_burst, webhooks_per_person, webhooks_per_application, first_party,
           suspended_at is not null as suspended,
           array(select s.id from application_secrets s where s.application_id = applications.id and s.revoked_at is null order by s.id) as secret_ids,
           array(select s.secret_hash from application_secrets s where s.application_id = applications.id and s.revoked_at is null order by s.id) as secret_hashes
    from applications where id = ${id} and deleted_at is null`
  return row ? fromRow(row) : null
}

function fromRow(row: ApplicationRow): RegisteredApplication {
  return {
    id: row.id,
    name: row.name,
    logoUrl: row.logo_url,
    type: row.type,
    redirectUris: row.redirect_uris,
    webOrigins: row.web_origins,
    postLogoutRedirectUris: row.post_logout_redirect_uris,
    implicit: row.implicit,
    idTokenAlgorithm: row.id_token_algorithm,
    strictOidc: row.strict_oidc,
    tokenEndpointAuthentication: row.token_endpoint_authentication,
    apiScopes: row.api_scopes,
    environments: row.environments,
    clientCredentials: row.client_credentials,
    passwordGrant: row.password_grant,
    refreshLifetimeSeconds: row.refresh_lifetime_seconds,
    refreshRotating: row.refresh_rotating,
    refreshLeewaySeconds: row.refresh_leeway_seconds,
    ratePerSecond: row.rate_per_second,
    rateBurst: row.rate_burst,
    apiRatePerSecond: row.api_rate_per_second,
    apiRateBurst: row.api_rate_burst,
    webhooksPerPerson: row.webhooks_per_person,
    webhooksPerApplication: row.webhooks_per_application,
    firstParty: row.first_party,
    suspended: row.suspended,
    secrets: row.secret_ids.flatMap((secretId, position) => {
      const hash = row.secret_hashes[position]
      return hash === undefined ? [] : [{ id: secretId, hash }]
    }),
  }
}

/** Whether any application registered this origin: a preflight does not say which one it is for. */
export async function originIsRegistered(db: DbOrTransaction, origin: string): Promise<boolean> {
  const found = await db`
    select 1 from applications where web_origins @> array[${origin}] and deleted_at is null and suspended_at is null limit 1`
  return found.length === 1
}

export async function writeSecretUses(db: DbOrTransaction, uses: ReadonlyMap<string, Date>): Promise<void> {
  // Locked in one order, or two processes that write at the same moment could wait for each other.
  await db`
    with held as materialized (
      select id, news.at from application_secrets
      join unnest(${[...uses.keys()]}::text[], ${[...uses.values()].map((at) => at.toISOString())}::timestamptz[])
        as news (id, at) using (id)
      order by id for update of application_secrets
    )
    update application_secrets set last_used_at = greatest(last_used_at, held.at)
    from held where application_secrets.id = held.id`
}
