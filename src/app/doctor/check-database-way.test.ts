import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkDatabaseWay } from './check-database-way.ts'

const CASES: Array<[url: string | null, state: 'ok' | 'warning' | undefined, says?: RegExp]> = [
  [null, undefined],
  ['postgres://handover:x@localhost:5432/handover', undefined],
  ['postgres://handover:x@127.0.0.1/handover', undefined],
  ['postgres://handover:x@%2Fvar%2Frun%2Fpostgresql/handover', undefined],
  ['postgres://handover:x@%2fvar%2frun%2fpostgresql/handover', undefined],
  ['postgres://handover:p@ss@localhost/handover', undefined],
  ['postgres://handover:p@ss@db.example:5432/handover', 'warning'],
  ['postgres://db.example/handover', 'warning', /nothing in DATABASE_URL/],
  ['postgres://db.example/handover?sslmode=disable', 'warning', /nothing in DATABASE_URL/],
  ['postgres://db.example/handover?ssl=false', 'warning', /nothing in DATABASE_URL/],
  ['postgres://db.example/handover?sslmode=prefer', 'warning', /nothing in DATABASE_URL/],
  ['postgres://db.example/handover?sslmode=require', 'warning', /any server is believed/],
  ['postgres://db.example/handover?sslmode=allow', 'warning', /any server is believed/],
  ['postgres://db.example/handover?sslmode=verify-full&sslmode=require', 'warning', /any server is believed/],
  ['postgres://db.example/handover?sslmode=verify-ca', 'ok'],
  ['postgres://db.example/handover?ssl=true', 'ok'],
  ['postgres://db.example/handover?application_name=x&sslmode=verify-full', 'ok'],
  ['postgres://db.example/handover?sslrootcert=system', 'ok'],
  ['postgres://localhost:5432,db.example:5433/handover', 'warning'],
  ['postgres://one.example:5432,other.example:5433/handover?sslmode=verify-full', 'ok'],
]
for (const [url, state, says = /^/] of CASES) {
  test(`${url}: ${state ?? 'nothing to say'}`, () => {
    const [finding] = checkDatabaseWay({ databaseUrl: url })
    assert.equal(finding?.state, state)
    assert.match(finding?.says ?? '', says)
    assert.doesNotMatch(JSON.stringify(finding ?? ''), /p@ss|handover:x/)
  })
}
