import { startTestPostgres } from './test-postgres.ts'

// One for the whole run; each test file clones its template.

let server: Awaited<ReturnType<typeof startTestPostgres>> | undefined

export async function globalSetup(): Promise<void> {
  server = await startTestPostgres({ synchronous_commit: 'off', max_connections: '300' })
}

export async function globalTeardown(): Promise<void> {
  await server?.stop()
}
