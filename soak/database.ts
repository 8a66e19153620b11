/**
 * What stands beneath a scenario: a PostgreSQL, and what is between it and the services. Each kind is a file in `databases/`
 * that starts one of its own, empty and not yet migrated, and says which faults can be struck on it.
 */
export type SoakDatabase = {
  /** What services get as `DATABASE_URL`. */
  url: string
  /** Further settings of services, such as `HANDOVER_DATABASE_PREPARE`. */
  env?: Record<string, string>
  /** Each is done when the fault has struck (`crash`), or when it has been taken back (`free`, `mend`). */
  faults: Record<string, () => Promise<void>>
  /** Everything that the server (and what stands before it) has logged so far, of every start. */
  log: () => Promise<string>
  /** Straight to the server that is alive now, for the judge. */
  adminUrl: () => string
  /** Ends everything, and takes its files away. */
  stop: () => Promise<void>
}
