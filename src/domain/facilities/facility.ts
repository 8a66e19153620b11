import type { Environment } from '../environment.ts'

export type Facility = {
  environment: Environment
  id: string
  name: string
  city: string | null
  state: string | null
}

/** One facility of one environment; ids may repeat across the two. */
export type FacilityRef = Pick<Facility, 'environment' | 'id'>
