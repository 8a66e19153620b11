/** Every page, in the order in which it is read. A test holds it against the files under `docs/pages`. */
export const CONTENTS = [
  { title: 'Start', pages: ['getting-started', 'environments'] },
  {
    title: 'Sign-in and tokens',
    pages: [
      'tokens',
      'flows/authorization-code',
      'flows/pkce',
      'flows/client-credentials',
      'flows/refresh-token',
      'flows/logout',
      'flows/implicit',
      'flows/password',
    ],
  },
  {
    title: 'Webhooks',
    pages: [
      'webhooks/introduction',
      'webhooks/events',
      'webhooks/register',
      'webhooks/verify',
      'webhooks/test',
      'webhooks/retries',
      'webhooks/rotation',
      'webhooks/troubleshoot',
    ],
  },
  { title: 'Command line', pages: ['cli'] },
  { title: 'Reference', pages: ['reference', 'errors', 'rate-limits', 'reference/platform'] },
  {
    title: 'Operations',
    pages: [
      'operations/deploy',
      'operations/configure',
      'operations/scale-out',
      'operations/upgrade',
      'operations/backup-and-restore',
      'operations/keys',
      'operations/metrics',
      'operations/alerts',
    ],
  },
] as const satisfies ReadonlyArray<{ title: string; pages: readonly string[] }>

export const PAGE_PATHS: readonly string[] = CONTENTS.flatMap(({ pages }) => [...pages])
