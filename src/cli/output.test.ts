import assert from 'node:assert/strict'
import { test } from 'node:test'
import { harmless, oneLine, outputFor } from './output.ts'

const EVIL = 'a\u001b[2Jb\u009b31mc\u202ed\r\ne\tf'

test('what others wrote cannot change the terminal; where a line is one of ours, it cannot begin another', () => {
  assert.equal(harmless(EVIL), 'a\\u001b[2Jb\\u009b31mc\\u202ed\ne\tf')
  assert.equal(oneLine(EVIL), 'a\\u001b[2Jb\\u009b31mc\\u202ed e f')
})

test('JSON is the same value for a program, and as harmless for who looks at it', () => {
  let printed = ''
  const terminal = {
    env: {},
    print: (text: string) => {
      printed = text
    },
    warn: () => {},
  }
  outputFor(terminal, { json: true }).record({ name: EVIL }, '')
  assert.deepEqual(JSON.parse(printed), { name: EVIL })
  assert.doesNotMatch(printed, /[\p{Cc}\p{Bidi_Control}]/u)
})
