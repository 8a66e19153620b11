import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { newApplication } from '../../src/domain/applications/application.ts'
import { DELIVERY_STATES, REASONS } from '../../src/domain/deliveries/delivery.ts'
import { eventBody, kindOf } from '../../src/domain/deliveries/event.ts'
import { exampleData } from '../../src/domain/deliveries/example-data.ts'
import { WAITS } from '../../src/domain/deliveries/retry-schedule.ts'
import { costlyRate } from '../../src/domain/limits/application-rates.ts'
import { SUPPORTED_SCOPES } from '../../src/domain/tokens/scope.ts'
import { EVENT_MEANINGS } from '../../src/domain/webhooks/event-meanings.ts'
import { THRESHOLD_PROBLEMS } from '../../src/http/problem-codes.ts'
import { PLATFORM_API_PROBLEMS } from '../../src/platform-api/problem-codes.ts'
import { PUBLIC_API_PROBLEMS } from '../../src/public-api/problem-codes.ts'
import { filesUnder } from '../house/source-files.ts'
import { repository } from './documentation-files.ts'
import { fencedBlocks } from './fenced-blocks.ts'

// What pages say in numbers and lists is held against what the program does: whoever changes one is told of the other.

const PAGES = join(repository, 'docs/pages')
const page = (path: string) => readFile(join(PAGES, `${path}.md`), 'utf8')

/** The cells of every row of a page's tables. */
function rowsOf(text: string): string[][] {
  const lines = text.split('\n').filter((line) => line.startsWith('|'))
  return lines.map((line) => line.slice(1, -1).split('|')).map((cells) => cells.map((cell) => cell.trim()))
}

/** The text below a heading, until the next one. */
function sectionOf(text: string, heading: string): string {
  const [, ...found] = text.split(new RegExp(`^#{1,6} ${RegExp.escape(heading)}$`, 'm'))
  assert.equal(found.length, 1, `one heading "${heading}"`)
  return found[0]?.split(/^#{1,6} /m)[0] ?? ''
}

/** Of the doors that answer with problems, as text. */
async function sourcesOfApi(): Promise<string> {
  const paths = await Promise.all(
    ['src/public-api', 'src/platform-api', 'src/http'].map((at) => filesUnder(repository, at)),
  )
  const sources = paths.flat().filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
  return (await Promise.all(sources.map((path) => readFile(join(repository, path), 'utf8')))).join('\n')
}

test('errors: every code of a problem is explained under its status, and no other', async () => {
  const known = { ...THRESHOLD_PROBLEMS, ...PLATFORM_API_PROBLEMS, ...PUBLIC_API_PROBLEMS }
  const answered = (await sourcesOfApi()).matchAll(/new Problem\(\s*(\d{3}),\s*'([a-z_]+)'/g)
  // Pages for people have codes of their own, which no API answers.
  const ofPages = ['form_expired', 'malformed_form']
  const codes = new Map([
    ...Object.entries(known).map(([code, { status }]): [string, string] => [code, String(status)]),
    ...[...answered].flatMap(
      ([, status = '', code = '']): Array<[string, string]> => (ofPages.includes(code) ? [] : [[code, status]]),
    ),
  ])
  const text = await page('errors')
  const explained = new Map<string, string>()
  let status = ''
  for (const [, level, title = ''] of text.matchAll(/^(###|####) (\S.*)$/gm)) {
    if (level === '###') status = title
    else explained.set(title, /^\d{3} /.exec(status)?.[0].trim() ?? sectionOf(text, title).trim().slice(0, 3))
  }
  const sorted = (map: Map<string, string>) => [...map].map((pair) => pair.join(' ')).toSorted()
  assert.deepEqual(sorted(explained), sorted(codes))
})

test('errors: every code of a wrong field is named', async () => {
  const section = sectionOf(await page('errors'), 'wrong_fields')
  const source = await sourcesOfApi()
  const found = [...source.matchAll(/\bcode: '([a-z_]+)'|fault\([^,\n]*, '([a-z_]+)'/gi)].map(
    ([, one, other]) => one ?? other,
  )
  const ofPeople = Object.keys(PLATFORM_API_PROBLEMS)
  const missing = new Set(found.filter((code) => !section.includes(`\`${code}\``) && !ofPeople.includes(code ?? '')))
  assert.deepEqual([...missing], [])
})

test('events: every event with its meaning and the body of a test event', async () => {
  const text = await page('webhooks/events')
  for (const [type, meaning] of Object.entries(EVENT_MEANINGS)) {
    const section = sectionOf(text, type)
    assert.ok(section.includes(`\n${meaning}.\n`), type)
    const [block] = fencedBlocks(section)
    const shown: unknown = JSON.parse(block?.text ?? '')
    assert.ok(typeof shown === 'object' && shown !== null && 'id' in shown && 'timestamp' in shown, type)
    const subject =
      kindOf(type) === 'facility'
        ? { facilityId: 'facilityId' in shown ? String(shown.facilityId) : '' }
        : { userId: 'userId' in shown ? String(shown.userId) : '' }
    const body = eventBody(
      {
        id: String(shown.id),
        type,
        environment: 'sandbox',
        subject,
        occurredAt: new Date(String(shown.timestamp)),
        data: exampleData(type),
        test: true,
      },
      new Date(),
    )
    // As text: the order of the fields is the one that is sent.
    assert.equal(JSON.stringify(shown), body)
  }
})

test('retries: the table is the schedule', async () => {
  const waits = rowsOf(await page('webhooks/retries')).flatMap(([attempt = '', wait = '']) =>
    /^\d+(?:st|nd|rd|th)$/.test(attempt) ? [wait] : [],
  )
  const inWords = (seconds: number) =>
    seconds < 60 ? `${seconds} s` : seconds < 3_600 ? `${seconds / 60} min` : `${seconds / 3_600} h`
  assert.deepEqual(waits, ['–', ...WAITS.map(inWords)])
})

test('troubleshooting: every state and every reason of a delivery', async () => {
  const rows = rowsOf(sectionOf(await page('webhooks/troubleshoot'), 'Delivery states')).slice(2)
  const named = (column: number) => new Set(rows.map((cells) => cells[column]?.replaceAll('`', '')))
  assert.deepEqual(named(0), new Set(DELIVERY_STATES))
  assert.deepEqual(named(1), new Set(['–', ...REASONS]))
})

test('tokens: every scope', async () => {
  const rows = rowsOf(sectionOf(await page('tokens'), 'Scopes')).slice(2)
  assert.deepEqual(new Set(rows.map(([scope]) => scope?.replaceAll('`', ''))), new Set(SUPPORTED_SCOPES))
})

test('rate limits: the numbers of a new application', async () => {
  const application = newApplication({ id: 'app', name: 'Any', type: 'web' })
  const costly = costlyRate(application)
  const rows = rowsOf(sectionOf(await page('rate-limits'), 'The limits'))
  const limit = (what: string) => rows.find(([first]) => first?.startsWith(what))?.slice(1, 3)
  assert.deepEqual(limit('token endpoint'), [`${application.ratePerSecond} a second`, String(application.rateBurst)])
  assert.deepEqual(limit('public API'), [`${application.apiRatePerSecond} a second`, String(application.apiRateBurst)])
  for (const what of ['test events', 'resends', 'replays'])
    assert.deepEqual(limit(what), [`${costly.perSecond} a second`, String(costly.burst)])
})

test('webhooks are recommended, the password grant and the implicit flow are not', async () => {
  for (const path of ['getting-started', 'webhooks/introduction'])
    assert.match(await page(path), /the recommended way to\s+integrate/, path)
  for (const path of ['flows/password', 'flows/implicit']) assert.match(await page(path), /discouraged/, path)
})
