/**
 * What an export leaves behind, each with its reason (decision record 85). Every other table that a migration makes goes along
 * by itself.
 */
export const LEFT_OUT_TABLES: Readonly<Record<string, string>> = {
  schema_migrations: 'an import migrates by itself, up to where the export was',
  rate_buckets: 'levels of rate limits, lost in a crash too: every bucket begins full',
}
