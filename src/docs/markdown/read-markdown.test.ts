import assert from 'node:assert/strict'
import { test } from 'node:test'
import { linksIn, plainText } from './blocks.ts'
import { headingIds } from './heading-ids.ts'
import { blocksView } from './markdown-view.ts'
import { readMarkdown } from './read-markdown.ts'

const shown = (markdown: string, path = 'flows/pkce') =>
  blocksView(readMarkdown(markdown).blocks, path, 'Title').toString().trim()

const cases: Array<[title: string, markdown: string, markup: RegExp]> = [
  [
    'a heading with its anchor',
    '## How *it* `works`',
    /^<h2 id="how-it-works">How <em>it<\/em> <code>works<\/code> <a class="anchor" href="#how-it-works"/,
  ],
  ['text is only text', 'a < b & "c" `<i>`', /^<p>a &lt; b &amp; &quot;c&quot; <code>&lt;i&gt;<\/code><\/p>$/],
  ['escaped marks', '1\\. \\*not\\* `*code*`', /^<p>1\. \*not\* <code>\*code\*<\/code><\/p>$/],
  ['a link to another page', '[t](../tokens.md#claims)', /<a href="\/docs\/tokens#claims">t<\/a>/],
  ['a link within the page', '[t](#claims)', /<a href="#claims">t<\/a>/],
  ['a link to what the service gives out', '[t](../../openapi.json)', /<a href="\/openapi\.json">t<\/a>/],
  [
    'a link to a file of the repository',
    '[the file](../../../compose.yaml)',
    /^<p>the file \(<code>compose\.yaml<\/code> in the repository\)<\/p>$/,
  ],
  ['a tight list', '- a\n- b `c`', /^<ul>\n<li>a<\/li>\n<li>b <code>c<\/code><\/li>\n<\/ul>$/],
  ['a list that begins elsewhere', '3. a\n4. b', /^<ol start="3">/],
  ['a list in a list', '- a\n  1. b', /<li>a<ol>\n<li>b<\/li>/],
  [
    'code',
    '```sh\n# why\ncurl "$A" <b>\n```',
    /<span class="comment"># why<\/span>\ncurl &quot;\$A&quot; &lt;b&gt;<\/code>/,
  ],
  [
    'a table',
    '| a | |\n|---|---|\n| `x\\|y` | z |',
    /<th role="columnheader" scope="col">a<\/th><td role="cell"><\/td>[\s\S]*<code>x\|y<\/code>/,
  ],
  ['a quote', '> **Note** this', /^<blockquote>\n<p><strong>Note<\/strong> this<\/p>/],
  ['a comment is not shown', 'a\n\n<!-- not run: b -->\n', /^<p>a<\/p>$/],
  ['raw HTML is left out', '<script>alert(1)</script>\n\nb <img src=x onerror=alert(1)> c', /^<p>b {2}c<\/p>$/],
]
for (const [title, markdown, markup] of cases) {
  test(title, () => assert.match(shown(markdown), markup))
}

test('an address that would run code is no address of a page', () => {
  const { blocks } = readMarkdown('[x](javascript:alert(1))')
  assert.deepEqual(linksIn(blocks), ['javascript:alert(1)'], 'the test of all links refuses it: it is not https')
})

test('anchors are those of the usual viewers of Markdown, each once', () => {
  const idFor = headingIds()
  const texts = ['1. Get a token', 'What’s “new”?', '`wrong_fields`', 'C# & Java', 'Next', 'Next', 'Über uns']
  assert.deepEqual(
    texts.map((text) => idFor(text.replaceAll('`', ''))),
    ['1-get-a-token', 'whats-new', 'wrong_fields', 'c--java', 'next', 'next-1', 'über-uns'],
  )
})

test('the text of a heading is what is read, without its marks', () => {
  const [heading] = readMarkdown('## The `code` of **a** [link](x.md)').blocks
  assert.equal(heading?.kind === 'heading' && plainText(heading.inside), 'The code of a link')
})
