import { API_SCOPES, type ApiScope, type Application } from '../applications/application.ts'

/** What an application can ask of a person; each but `offline_access` opens claims (decision B5). */
export const IDENTITY_SCOPES = [
  'openid',
  'profile',
  'email',
  'name',
  'address',
  'phone',
  'role',
  'offline_access',
] as const

export const SUPPORTED_SCOPES: readonly string[] = [...IDENTITY_SCOPES, ...API_SCOPES]

/** The words of a `scope` parameter, each once, in the order they came. */
export function scopeWords(text: string): string[] {
  return [...new Set(text.split(' ').filter((word) => word !== ''))]
}

/** What is left of an allowed scope when support has taken API scopes from the application since. */
export function stillAllowed(scope: readonly string[], { apiScopes }: Pick<Application, 'apiScopes'>): string[] {
  return scope.filter((word) => !isApiScope(word) || apiScopes.includes(word))
}

function isApiScope(word: string): word is ApiScope {
  return API_SCOPES.some((known) => known === word)
}

/**
 * Decision B5: unknown scopes are ignored; those of the API need an audience and the application's right to them; nothing
 * asked for means `openid` and, with an audience, all that the application may have.
 */
export function grantedScope(
  requested: string | null,
  application: Pick<Application, 'apiScopes'>,
  audience: string | null,
): string[] {
  const api: readonly ApiScope[] = audience === null ? [] : application.apiScopes
  if (requested === null) return ['openid', ...api]
  const allowed = new Set<string>([...IDENTITY_SCOPES, ...api])
  return scopeWords(requested).filter((word) => allowed.has(word))
}
