import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Passage } from './passage.ts'
import { search } from './search.ts'

const passage = (page: string, heading: string, text: string, code = ''): Passage => ({
  href: `/docs/${page}#${heading}`,
  page,
  heading,
  text,
  code,
})
const PASSAGES = [
  passage('Tokens', '', 'What stands in each token.'),
  passage('Tokens', 'Claims', 'Of a token, and of another token.'),
  passage('Rotation', 'Secrets of a webhook', 'Two secrets sign at once.', 'curl -X PATCH'),
  passage('Retries', 'What counts', 'Retry-After is heeded. That is all.'),
]
const found = (sought: string) => search(PASSAGES, sought).map(({ href }) => href)

test('a title counts more than a heading, a heading more than text', () => {
  assert.deepEqual(found('token'), ['/docs/Tokens#', '/docs/Tokens#Claims'])
})

const cases: Array<[title: string, sought: string, hrefs: string[]]> = [
  ['the beginning of a word is enough', 'SECRET', ['/docs/Rotation#Secrets of a webhook']],
  ['the middle of one is not', 'hat', []],
  ['every word must be there, the title of the page counts', 'rotation two', ['/docs/Rotation#Secrets of a webhook']],
  ['one word that is nowhere', 'token zebra', []],
  ['code is found too', 'patch', ['/docs/Rotation#Secrets of a webhook']],
  ['marks are no words', '.*+?^${}()|[]\\ -', []],
  ['nothing', '  ', []],
]
for (const [title, sought, hrefs] of cases) {
  test(title, () => assert.deepEqual(found(sought), hrefs))
}

test('an excerpt is around the first word, and every second part of it is one', () => {
  const long = passage('A', 'B', `${'before '.repeat(50)}needle, and a needle${' after'.repeat(50)}`)
  const [hit] = search([long], 'needle')
  assert.deepEqual(
    hit?.excerpt.filter((_, position) => position % 2 === 1),
    ['needle', 'needle'],
  )
  assert.match(hit?.excerpt.join('') ?? '', /^… .{90}needle.{170,180} …$/)
})
