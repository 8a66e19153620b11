import assert from 'node:assert/strict'
import { test } from 'node:test'
import { askedAnswer } from './asked-answer.ts'

const rows: Array<[path: string, status: number, waitSeconds: number]> = [
  ['/', 200, 0],
  ['/hook', 200, 0],
  ['/status/503', 503, 0],
  ['/hook/status/410/', 410, 0],
  ['/hook?status=503', 503, 0],
  ['/status/503?status=201', 201, 0],
  ['/slow/3', 200, 3],
  ['/slow/3/status/500', 500, 3],
  ['/slow/999', 200, 60],
  ['/hook?slow=0.5', 200, 0.5],
  ['/status/199', 200, 0],
  ['/status/600', 200, 0],
  ['/status/5030', 200, 0],
  ['/status/abc', 200, 0],
  ['/?status=', 200, 0],
  ['/?status=2e2&slow=-1', 200, 0],
  ['/mystatus/503', 200, 0],
  ['//evil.example/status/503', 503, 0],
]
for (const [path, status, waitSeconds] of rows) {
  test(`${path} asks for ${status} after ${waitSeconds} s`, () => {
    assert.deepEqual(askedAnswer(path), { status, waitSeconds })
  })
}
