import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { DIFFERENCES } from './differential/differences.ts'
import { CODE_CASES, REFRESH_CASES } from './differential/grant-cases.ts'
import { startOurSide } from './differential/our-side.ts'
import { startPeerSide } from './differential/peer-side.ts'
import { CLIENT_CASES, REQUEST_CASES, TOKEN_CASES } from './differential/request-cases.ts'

// The same requests go to oidc-provider, which is certified and older than we are. Where it answers otherwise, either we are
// wrong or the contract wants it so, and then the table of differences says where.

const ours = await startOurSide()
after(() => ours.stop())
const theirs = await startPeerSide()
after(() => theirs.stop())

const CASES = { ...CODE_CASES, ...REFRESH_CASES, ...CLIENT_CASES, ...REQUEST_CASES, ...TOKEN_CASES }

for (const [name, run] of Object.entries(CASES)) {
  const known = DIFFERENCES[name]
  const title = known === undefined ? `answers as oidc-provider does: ${name}` : `answers in its own way: ${name}`
  test(title, async () => {
    const answers = { ours: await run(ours), theirs: await run(theirs) }
    if (known === undefined) assert.deepEqual(answers.ours, answers.theirs)
    else assert.deepEqual(answers, { ours: known.ours, theirs: known.theirs })
  })
}

test('every difference in the table is one, has its reason, and belongs to a case', () => {
  for (const [name, { ours: mine, theirs: peers, because }] of Object.entries(DIFFERENCES)) {
    assert.ok(Object.hasOwn(CASES, name), `no case is called "${name}"`)
    assert.notDeepEqual(mine, peers, name)
    assert.match(because, /\b(?:contract|decision [A-E]\d+|RFC \d+)\b/i, name)
  }
})
