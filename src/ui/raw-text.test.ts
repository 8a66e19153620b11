import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listing, rawText } from './raw-text.ts'

const CASES: Array<[what: string, text: string, shown: string]> = [
  ['plain', 'plain\n\ttext', 'plain\n\ttext'],
  ['markup', '<b>&"\'', '&lt;b&gt;&amp;&quot;&#39;'],
  ['a text that turns around', 'a\u202eb', 'a<span class="mark">U+202E</span>b'],
  ['an isolate at each end', '\u2066x\u2069', '<span class="mark">U+2066</span>x<span class="mark">U+2069</span>'],
  ['zero width and byte order', '\u200b\ufeff', '<span class="mark">U+200B</span><span class="mark">U+FEFF</span>'],
  [
    'NUL, escape and delete',
    '\0\u001b\u007f',
    ['0000', '001B', '007F'].map((c) => `<span class="mark">U+${c}</span>`).join(''),
  ],
  ['other scripts and pictures', 'שלום 🙂', 'שלום 🙂'],
]

for (const [what, text, shown] of CASES) {
  test(`${what} is shown as it is`, () => assert.equal(rawText(text).toString(), shown))
}

test('a listing is markup of ours around it', () => {
  assert.match(listing('</pre><script>', '"').toString(), /aria-label="&quot;">&lt;\/pre&gt;&lt;script&gt;<\/pre>$/)
})
