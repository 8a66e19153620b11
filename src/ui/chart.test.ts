import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Bar, barChart } from './chart.ts'

const bar = (good: number, bad: number): Bar => ({ label: '08:00', good, bad, row: ['08:00', good, bad] })
const chart = (bars: Bar[]) =>
  barChart({
    id: 'attempts',
    title: 'Attempts <by hour>',
    description: 'So many "attempts"',
    words: { good: 'succeeded', bad: 'failed' },
    bars,
    columns: ['Hour', 'Succeeded', 'Failed'],
  }).toString()

function heightsOf(markup: string): Array<[kind: string, y: number, height: number]> {
  return [...markup.matchAll(/<rect class="(\w+)" x="[\d.]+" y="([\d.]+)" width="8" height="([\d.]+)"/g)].map(
    ([, kind = '', y, height]) => [kind, Number(y), Number(height)],
  )
}

test('the highest bar fills the height, and what failed stands on what succeeded', () => {
  assert.deepEqual(heightsOf(chart([bar(6, 2), bar(4, 0), bar(0, 0)])), [
    ['good', 25, 75],
    ['bad', 0, 25],
    ['good', 50, 50],
  ])
})

test('one of very many is still to be seen, and nothing sticks out', () => {
  for (const [, y, height] of heightsOf(chart([bar(100_000, 1), bar(1, 100_000), bar(1, 0)]))) {
    assert.ok(height >= 2)
    assert.ok(y >= 0 && y <= 100)
  }
})

test('no bar, and bars without anything, are a chart too', () => {
  for (const bars of [[], [bar(0, 0)]]) assert.deepEqual(heightsOf(chart(bars)), [])
})

test('it says what it shows, in words and as a table, without a style or a script', () => {
  const markup = chart([bar(6, 2)])
  assert.match(markup, /<svg [^>]*role="img" aria-labelledby="attempts-name attempts-desc"/)
  assert.match(
    markup,
    /<title id="attempts-name">Attempts &lt;by hour&gt;<\/title><desc id="attempts-desc">So many &quot;/,
  )
  assert.match(markup, /<td role="cell" data-label="Failed"><div>2<\/div>/)
  assert.doesNotMatch(markup, /style=|<script|\son\w+=/)
})
