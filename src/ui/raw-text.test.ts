import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listing, rawText, rawUrl } from './raw-text.ts'

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

const URLS: Array<[url: string, shown: string]> = [
  ['https://a.example', 'https://a.example'],
  ['http://localhost:4400/people/', 'http://localhost:4400/<wbr>people/'],
  ['https://a.example/b/c?d=e&f', 'https://a.example/<wbr>b/<wbr>c?<wbr>d=e&amp;<wbr>f'],
  ['https://a.example/\u202e<b>', 'https://a.example/<wbr><span class="mark">U+202E</span>&lt;b&gt;'],
]

for (const [url, shown] of URLS) {
  test(`${url} breaks between its parts`, () => assert.equal(rawUrl(url).toString(), shown))
}
