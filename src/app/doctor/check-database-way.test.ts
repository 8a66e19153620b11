import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkDatabaseWay } from './check-database-way.ts'

const CASES: Array<[url: string | null, state: 'ok' | 'warning' | undefined]> = [
  [null, undefined],
  ['postgres://handover:x@localhost:5432/handover', undefined],
  ['postgres://handover:x@127.0.0.1/handover', undefined],
  ['postgres://handover:x@%2Fvar%2Frun%2Fpostgresql/handover', undefined],
  ['postgres://handover:p@ss@db.example:5432/handover', 'warning'],
  ['postgres://db.example/handover?sslmode=disable', 'warning'],
  ['postgres://db.example/handover?sslmode=prefer', 'warning'],
  ['postgres://db.example/handover?sslmode=require', 'warning'],
  ['postgres://db.example/handover?application_name=x&sslmode=verify-full', 'ok'],
  ['postgres://db.example/handover?sslrootcert=system', 'ok'],
  ['postgres://localhost:5432,db.example:5433/handover', 'warning'],
  ['postgres://one.example:5432,other.example:5433/handover?sslmode=verify-full', 'ok'],
]
for (const [url, state] of CASES) {
  test(`${url}: ${state ?? 'nothing to say'}`, () => {
    const [finding] = checkDatabaseWay({ databaseUrl: url })
    assert.equal(finding?.state, state)
    assert.doesNotMatch(JSON.stringify(finding ?? ''), /p@ss|handover:x/)
  })
}
