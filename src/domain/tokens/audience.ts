import type { Application } from '../applications/application.ts'
import { ENVIRONMENTS, type Environment } from '../environment.ts'

/** The audience of each environment's API, as configured. The token's audience decides the environment (decision B1). */
export type Audiences = Record<Environment, string>

export function environmentOf(audience: string | null, audiences: Audiences): Environment | null {
  return ENVIRONMENTS.find((environment) => audiences[environment] === audience) ?? null
}

/** Whether the application may ask for tokens of this API; no audience means userinfo only (decision B2). */
export function mayTarget(
  application: Pick<Application, 'environments'>,
  audience: string | null,
  audiences: Audiences,
): boolean {
  if (audience === null) return true
  const environment = environmentOf(audience, audiences)
  return environment !== null && application.environments.includes(environment)
}

/** Why it may not, for those who make the application. */
export function whyNotTarget(
  { environments }: Pick<Application, 'environments'>,
  audience: string | null,
  audiences: Audiences,
): string {
  const environment = environmentOf(audience, audiences)
  return environment === null || environments.includes(environment)
    ? `The audience is neither ${audiences.production} nor ${audiences.sandbox}.`
    : `This application may not use ${environment}.`
}
