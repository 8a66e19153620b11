import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readSequenceDiagram, type SequenceDiagram } from './sequence-diagram.ts'
import { sequencePicture } from './sequence-picture.ts'

const SOURCE = `sequenceDiagram
  participant A as Your <application>
  participant I as Handover
  participant R as Your receiver
  A->>I: POST /oidc/oauth/token with a very long explanation that does not fit
  I-->>A: access token
  Note over A,R: later
  R->>R: verifies
  A->>A: keeps it`

function diagram(source: string): SequenceDiagram {
  const read = readSequenceDiagram(source)
  assert.equal(read.kind, 'diagram')
  return read.diagram
}

test('participants, messages, replies and notes are read in their order', () => {
  const { participants, steps } = diagram(SOURCE)
  assert.deepEqual(
    participants.map(({ name }) => name),
    ['Your <application>', 'Handover', 'Your receiver'],
  )
  assert.deepEqual(steps.slice(1, 3), [
    { kind: 'message', from: 1, to: 0, reply: true, text: 'access token' },
    { kind: 'note', first: 0, last: 2, text: 'later' },
  ])
})

const unreadable: Array<[title: string, source: string, line: string]> = [
  ['another kind of picture', 'flowchart TD', 'flowchart TD'],
  ['nothing at all', '', ''],
  ['no step', 'sequenceDiagram\nparticipant A as You', 'sequenceDiagram'],
  ['an arrow that we do not draw', `${SOURCE}\nA-xI: lost`, 'A-xI: lost'],
  ['a block', `${SOURCE}\nloop every day`, 'loop every day'],
  ['a stranger', `${SOURCE}\nA->>Z: hello`, 'A->>Z: hello'],
  ['a note over a stranger', `${SOURCE}\nNote over Z: hello`, 'Note over Z: hello'],
  ['a message without words', `${SOURCE}\nA->>I:`, 'A->>I:'],
  ['a participant without a name', `${SOURCE}\nparticipant B`, 'participant B'],
  ['a participant twice', `${SOURCE}\nparticipant A as Me`, 'participant A as Me'],
]
for (const [title, source, line] of unreadable) {
  test(`unreadable: ${title}`, () => {
    const read = readSequenceDiagram(source)
    assert.equal(read.kind, 'unreadable')
    assert.equal(read.line, line)
  })
}

test('everything that is said stands in the picture and in the words below it, escaped, without a style attribute', () => {
  const markup = sequencePicture('p', 'Title "quoted"', diagram(SOURCE)).toString()
  assert.match(markup, /<title id="p-title">Title &quot;quoted&quot;<\/title>/)
  assert.match(markup, /<li><b>Your &lt;application&gt;<\/b> to <b>Handover<\/b>: POST/)
  assert.match(markup, /<li><b>Your receiver<\/b>: verifies<\/li>/)
  assert.equal(markup.match(/<path class="arrow/g)?.length, 4)
  assert.equal(markup.match(/<path class="arrow reply"/g)?.length, 1)
  assert.doesNotMatch(markup, /style=|<application>|NaN|undefined/)
})

test('no text reaches beyond the picture or into the next step, however long it is', () => {
  const long = 'GET /oidc/authorize?response_type=code&client_id=…&redirect_uri=… '.repeat(4).trim()
  for (const count of [1, 2, 3, 6]) {
    const names = [...Array(count).keys()].map((each) => `P${each}`)
    const lines = names.map((name) => `participant ${name} as A somewhat long name of ${name}`)
    const steps = names.flatMap((name) => [
      `P0->>${name}: ${long}`,
      `${name}-->>P0: ${long}`,
      `Note over ${name}: ${long}`,
    ])
    const markup = sequencePicture('p', 't', diagram(['sequenceDiagram', ...lines, ...steps].join('\n'))).toString()
    const [, width = 0, height = 0] = /viewBox="0 0 ([\d.]+) ([\d.]+)"/.exec(markup)?.map(Number) ?? []
    const bottoms = [...markup.matchAll(/<text class="([^"]+)" x="([\d.]+)" y="([-\d.]+)">(.*?)<\/text>/g)]
      .filter(([, kind]) => kind?.startsWith('said'))
      .map(([, kind = '', x, y, inside = '']) => {
        const texts = [...inside.matchAll(/<tspan[^>]*>([^<]*)</g)].map(([, text = '']) =>
          text.replaceAll(/&\w+;/g, '&'),
        )
        // Seven pixels a letter is what an ordinary font takes at this size.
        const reach = Math.max(...texts.map(({ length }) => length)) * 7
        const [left, right] = kind.includes('behind')
          ? [0, reach]
          : kind.includes('before')
            ? [reach, 0]
            : [reach / 2, reach / 2]
        assert.ok(Number(x) - left >= -1 && Number(x) + right <= width + 1, `${count}: ${inside}`)
        return { top: Number(y), bottom: Number(y) + texts.length * 18 }
      })
    for (const [position, { top }] of bottoms.entries()) assert.ok(top >= (bottoms[position - 1]?.bottom ?? 0))
    assert.ok((bottoms.at(-1)?.bottom ?? 0) < height)
  }
})
