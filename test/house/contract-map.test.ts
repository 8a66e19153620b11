import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, test } from 'node:test'
import { contractMapFaults, readContractMap } from './contract-map.ts'

const root = join(import.meta.dirname, '../..')

const HEADINGS = [
  'Conventions',
  'What the service does',
  'Resources and their fields',
  'Token response (from the token endpoint)',
  'ID token claims',
  'Access token claims',
  'UserInfo response',
  'Discovery document',
  'Facility webhook',
  'User webhook',
  'Response envelope for webhook operations',
  'States and transitions',
  'Endpoints',
  'Identity server',
  'GET {auth_url}/oidc/.well-known/openid-configuration',
  'GET {auth_url}/oidc/authorize',
  'POST {auth_url}/oidc/oauth/token',
  'GET {auth_url}/oidc/userinfo',
  'GET {auth_url}/oidc/logout',
  'Public API: webhooks',
  'POST /api/v2/public/webhooks/facility',
  'POST /api/v2/public/webhooks/user',
  'PATCH /api/v2/public/webhooks/facility/:webhookId',
  'Authentication',
  'Public API',
  'Events',
  'Facility webhook events',
  'User webhook events',
  'Linkage and signing',
  'Errors',
  'Limits',
  'Versioning',
]

const ROWS = 331

test('the contract map tells the truth about the repository', async () => {
  assert.deepEqual(await contractMapFaults(root), [])
})

test('the contract map has every heading of the contract, in its order', async () => {
  const { headings } = await readContractMap(root)
  assert.deepEqual(headings, HEADINGS)
})

test('the contract map has not lost a row', async () => {
  const { rows } = await readContractMap(root)
  assert.ok(rows.length >= ROWS, `${rows.length} rows, there were ${ROWS}`)
})

describe('a planted fault is found', () => {
  const built = '`src/token.ts`'
  const shown = '`test/token.test.ts`'
  const faults: Array<{ title: string; rows: string[]; expected: RegExp }> = [
    {
      title: 'a file that does not exist',
      rows: [`| TOK-01 | A line | | \`src/lost.ts\` | ${shown} |`],
      expected: /:5: TOK-01 names the file src\/lost\.ts, which does not exist$/,
    },
    {
      title: 'a file outside the repository',
      rows: [`| TOK-01 | A line | | \`../token.ts\` | ${shown} |`],
      expected: /TOK-01 names the file \.\.\/token\.ts/,
    },
    {
      title: 'a test that does not exist',
      rows: [`| TOK-01 | A line | | ${built} | \`test/lost.test.ts\` |`],
      expected: /TOK-01 names the test test\/lost\.test\.ts, which does not exist$/,
    },
    {
      title: 'a source file given as a test',
      rows: [`| TOK-01 | A line | | ${built} | ${built} |`],
      expected: /TOK-01 names the test src\/token\.ts, which is not a \.test\.ts file$/,
    },
    {
      title: 'a test title that its file does not have',
      rows: [`| TOK-01 | A line | | ${built} | \`test/token.test.ts › 200 another sentence\` |`],
      expected: /TOK-01 names the test title "200 another sentence", which is not in test\/token\.test\.ts$/,
    },
    {
      title: 'half a test title',
      rows: [`| TOK-01 | A line | | ${built} | \`test/token.test.ts › 200 a sentence\` |`],
      expected: /TOK-01 names the test title "200 a sentence"/,
    },
    {
      title: 'an id used twice',
      rows: ['| TOK-01 | A line | | | |', '| TOK-01 | Another line | | | |'],
      expected: /:6: TOK-01 has an id that line 5 has already$/,
    },
    { title: 'an id of another form', rows: ['| TOK1 | A line | | | |'], expected: /"TOK1" is not an id/ },
    { title: 'a cell too few', rows: ['| TOK-01 | A line | | |'], expected: /a row of 4 cells, not 5$/ },
    { title: 'a cell too many', rows: ['| TOK-01 | A line | | | | |'], expected: /a row of 6 cells, not 5$/ },
    { title: 'an empty name', rows: ['| TOK-01 | | | | |'], expected: /TOK-01 does not name its line/ },
    {
      title: 'a name outside backticks',
      rows: [`| TOK-01 | A line | | src/token.ts | ${shown} |`],
      expected: /TOK-01 names something outside backticks/,
    },
    {
      title: 'a built row whose decision has no record',
      rows: [`| TOK-01 | A line | B6 B13 | ${built} | ${shown} |`],
      expected: /TOK-01 is built on decision B13, which has no record in docs\/decisions$/,
    },
    {
      title: 'an answer that is no decision number',
      rows: ['| TOK-01 | A line | soon | | |'],
      expected: /TOK-01 is answered by "soon"/,
    },
    {
      title: 'a built row without a test',
      rows: [`| TOK-01 | A line | | ${built} | |`],
      expected: /TOK-01 names a file but no test$/,
    },
    {
      title: 'a tested row without a file',
      rows: [`| TOK-01 | A line | | | ${shown} |`],
      expected: /TOK-01 names a test but no file$/,
    },
  ]

  for (const { title, rows, expected } of faults) {
    test(title, async () => {
      const found = await faultsOf(rows)
      assert.equal(found.length, 1, found.join('\n'))
      assert.match(found.join(), expected)
    })
  }

  test('and a row that is right has none', async () => {
    const narrowed = '`test/token.test.ts › 200 a sentence of its own` `test/token.test.ts › a \\| b`'
    assert.deepEqual(
      await faultsOf([`| TOK-01 | A line | B6 | ${built} | ${narrowed} |`, '| TOK-02 | Open | D5 | | |']),
      [],
    )
  })
})

/** Plants rows in a small repository of one source file, one test and one decision record. */
async function faultsOf(rows: string[]): Promise<string[]> {
  const planted = await mkdtemp(join(tmpdir(), 'contract-map-'))
  const files = {
    'docs/contract-map.md': [
      '## Heading',
      '',
      '| Id | Contract | Answered by | File | Test |',
      '|---|---|---|---|---|',
      ...rows,
    ].join('\n'),
    'docs/decisions/0001-a-record.md': '# 1. A record\n\nAnswers: B6\n',
    'src/token.ts': 'export const token = 1\n',
    'test/token.test.ts': "test('200 a sentence of its own', () => {})\ntest('a | b', () => {})\n",
  }
  try {
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(planted, path)), { recursive: true })
      await writeFile(join(planted, path), text)
    }
    return await contractMapFaults(planted)
  } finally {
    await rm(planted, { recursive: true, force: true })
  }
}
