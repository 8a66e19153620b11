import type { Application } from '../../domain/applications/application.ts'
import type { AccessToken, Issuer } from '../../domain/tokens/access-token.ts'
import type { Audiences } from '../../domain/tokens/audience.ts'
import type { RotateRefreshToken } from '../../domain/tokens/rotation-store.ts'
import type { Form } from '../../http/form.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Db } from '../../platform/db.ts'
import type { PasswordHasher } from '../../platform/password-hash.ts'
import type { AuthenticatedClient } from '../oauth/client-auth.ts'

/** One `grant_type`. The endpoint does what all of them share; a grant fills in only what is its own. */
export type Grant = {
  allowed: (application: Application) => boolean
  run: (tools: GrantTools, client: AuthenticatedClient, form: Form) => Promise<Issued>
}

export type GrantTools = {
  db: Db
  rotateRefreshToken: RotateRefreshToken
  issuer: Issuer
  audiences: Audiences
  clock: Clock
  passwords: PasswordHasher
}

/** What a grant gives; the contract's table says which of them each has. */
export type Issued = { accessToken: AccessToken; idToken: string | null; refreshToken: string | null }
