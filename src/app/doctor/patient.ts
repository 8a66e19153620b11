import type { Clock } from '../../platform/clock.ts'
import type { Db } from '../../platform/db.ts'
import type { Addresses } from '../addresses.ts'
import type { Config } from '../config.ts'

/** What a check may look at. Nothing is written, and nobody is called who is not in the configuration or named by the operator. */
export type Patient = {
  config: Config
  env: Readonly<Record<string, string | undefined>>
  addresses: Addresses
  clock: Clock
  /** Null when the database could not be opened, which is a finding of its own. */
  db: Db | null
}

export type Asked = {
  /** Send one mail to this address. */
  mailTo: string | null
  /** Connect to this address as a delivery would. */
  egress: string | null
}
