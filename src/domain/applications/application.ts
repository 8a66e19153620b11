import type { Environment } from '../environment.ts'

export type ApplicationType = 'web' | 'spa' | 'native' | 'machine'

/** How an application proves itself at the token endpoint; `either` takes the secret by post or by basic (decision B7). */
export type TokenEndpointAuthentication = 'none' | 'post' | 'basic' | 'either'

export type IdTokenAlgorithm = 'RS256' | 'ES256' | 'EdDSA'

export const API_SCOPES = ['marketplace:read', 'marketplace:write'] as const

export type ApiScope = (typeof API_SCOPES)[number]

/** An integrator's application: its id is the Client ID. Who may set which of these is decision B7. */
export type Application = {
  id: string
  name: string
  logoUrl: string | null
  type: ApplicationType
  redirectUris: string[]
  webOrigins: string[]
  postLogoutRedirectUris: string[]
  implicit: boolean
  idTokenAlgorithm: IdTokenAlgorithm
  strictOidc: boolean
  tokenEndpointAuthentication: TokenEndpointAuthentication
  apiScopes: ApiScope[]
  environments: Environment[]
  clientCredentials: boolean
  passwordGrant: boolean
  refreshLifetimeSeconds: number
  refreshRotating: boolean
  refreshLeewaySeconds: number
  ratePerSecond: number
  rateBurst: number
  apiRatePerSecond: number
  apiRateBurst: number
  webhooksPerPerson: number
  webhooksPerApplication: number
  firstParty: boolean
  suspended: boolean
}

/** A new application as the contract and decision B7 have it before anyone changed a setting. */
export function newApplication(
  application: Pick<Application, 'id' | 'name' | 'type'> & Partial<Application>,
): Application {
  const keepsSecret = application.type === 'web' || application.type === 'machine'
  return {
    logoUrl: null,
    redirectUris: [],
    webOrigins: [],
    postLogoutRedirectUris: [],
    implicit: false,
    idTokenAlgorithm: 'RS256',
    strictOidc: false,
    tokenEndpointAuthentication: keepsSecret ? 'either' : 'none',
    apiScopes: [...API_SCOPES],
    environments: ['production', 'sandbox'],
    clientCredentials: false,
    passwordGrant: false,
    refreshLifetimeSeconds: 30 * 24 * 3_600,
    refreshRotating: true,
    refreshLeewaySeconds: 0,
    ratePerSecond: 100,
    rateBurst: 200,
    apiRatePerSecond: 50,
    apiRateBurst: 100,
    webhooksPerPerson: 20,
    webhooksPerApplication: 100,
    firstParty: false,
    suspended: false,
    ...application,
  }
}
