import assert from 'node:assert/strict'
import type { KeptRequest } from '../../src/domain/requests/logged-request.ts'
import type { Db } from '../../src/platform/db.ts'
import { newId } from '../../src/platform/ids.ts'
import { PATIENCE_MS, soon } from './soon.ts'
import type { TestApplication } from './token-scene.ts'

/** A row of the request log, as it is stored. */
export type RequestRow = {
  application_id: string
  team_id: string | null
  environment: string | null
  method: string
  path: string
  operation: string | null
  status: number
  error: string | null
  reason: string | null
  facts: Record<string, string>
  network: string
}

/** A token request of an application that went well, unless a test says otherwise. */
export function keptRequest(request: Pick<KeptRequest, 'applicationId'> & Partial<KeptRequest>): KeptRequest {
  return {
    id: newId('rql'),
    at: new Date(),
    requestId: newId('req'),
    environment: 'sandbox',
    method: 'POST',
    path: '/oidc/oauth/token',
    operation: 'client_credentials',
    status: 200,
    refusal: null,
    durationMs: 3,
    network: '203.0.113.0/24',
    leftOut: 0,
    ...request,
  }
}

/** What was written down about the request that got this answer; it takes a moment until it is. */
export async function loggedRequest(db: Db, { headers }: { headers: Headers }): Promise<RequestRow> {
  const id = headers.get('x-request-id') ?? ''
  let rows: RequestRow[] = []
  const isWritten = async () => {
    rows = await db<RequestRow[]>`
      select application_id, team_id, environment, method, path, operation, status, error, reason, facts, network
      from request_log where request_id = ${id}`
    return rows.length > 0
  }
  assert.ok(await soon(isWritten, PATIENCE_MS), `nothing is written down about ${id}`)
  assert.equal(rows.length, 1)
  const [row] = rows
  assert.ok(row)
  return row
}

/** What the team is told of a refusal. */
export type ExpectedRefusal = {
  error: string
  reason: RegExp
  facts?: Record<string, string>
  operation?: string | null
}

export async function assertRefusalLogged(
  db: Db,
  answer: { headers: Headers },
  expected: ExpectedRefusal,
  who: TestApplication,
): Promise<RequestRow> {
  const row = await loggedRequest(db, answer)
  assert.equal(row.application_id, who.id)
  assert.equal(row.error, expected.error)
  assert.match(row.reason ?? '', expected.reason)
  assert.deepEqual(row.facts, expected.facts ?? {})
  if (expected.operation !== undefined) assert.equal(row.operation, expected.operation)
  return row
}
