import type { Application } from '../applications/application.ts'
import type { Environment } from '../environment.ts'
import type { Rate } from './token-bucket.ts'

type Rates = Pick<Application, 'apiRatePerSecond' | 'apiRateBurst'>

/** Per application and environment (decision C12): a busy sandbox never slows production down. */
export function apiRate({ apiRatePerSecond: perSecond, apiRateBurst: burst }: Rates): Rate {
  return { perSecond, burst }
}

/** What costs others something: 5 a second and 20 at once (decision C11), unless support changed what the application may do at all. */
export function costlyRate({ apiRatePerSecond, apiRateBurst }: Rates): Rate {
  return { perSecond: apiRatePerSecond / 10, burst: Math.max(1, Math.floor(apiRateBurst / 5)) }
}

/** Of what the bucket is: the API as a whole, or one thing that is costly. The same for every door. */
export function bucketOf(name: string, applicationId: string, environment: Environment): string {
  return `${name} ${applicationId} ${environment}`
}
