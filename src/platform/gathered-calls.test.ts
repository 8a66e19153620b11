import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { type Gathering, gatheredCalls } from './gathered-calls.ts'

/** Answers only when it is told to, and remembers what went together. */
function scene(gathering: Gathering<number> = { mostTogether: 3, mostUnderWay: 1 }) {
  const groups: number[][] = []
  const open: Array<PromiseWithResolvers<number[]>> = []
  const call = gatheredCalls((inputs: readonly number[]) => {
    groups.push([...inputs])
    const answer = Promise.withResolvers<number[]>()
    open.push(answer)
    return answer.promise
  }, gathering)
  async function finish(how: (answer: PromiseWithResolvers<number[]>, inputs: number[]) => void): Promise<void> {
    const answer = open.shift()
    assert.ok(answer)
    how(answer, groups.at(-open.length - 1) ?? [])
    await turn()
  }
  return {
    call,
    groups,
    finish,
    succeed: () => finish((answer, inputs) => answer.resolve(inputs.map((input) => input * 10))),
  }
}

class DatabaseError extends Error {
  readonly code: string
  constructor(code: string) {
    super('refused')
    this.code = code
  }
}

test('one that comes alone goes at once', async () => {
  const { call, groups, succeed } = scene()
  const answer = call(1)
  assert.deepEqual(groups, [[1]])
  await succeed()
  assert.equal(await answer, 10)
})

test('those that come meanwhile go together, as many as may, and each gets its own answer', async () => {
  const { call, groups, succeed } = scene()
  const answers = [1, 2, 3, 4, 5].map(call)
  assert.deepEqual(groups, [[1]])
  for (let group = 0; group < 3; group++) await succeed()
  assert.deepEqual(groups, [[1], [2, 3, 4], [5]])
  assert.deepEqual(await Promise.all(answers), [10, 20, 30, 40, 50])
})

test('as many groups are under way as may be', () => {
  const { call, groups } = scene({ mostTogether: 3, mostUnderWay: 2 })
  for (const input of [1, 2, 3]) void call(input)
  assert.deepEqual(groups, [[1], [2]])
})

test('of one key only one goes with a group; the others go with the next ones, before who came after them', async () => {
  const keyOf = (input: number) => (input > 90 ? 'one owner' : String(input))
  const { call, groups, succeed } = scene({ mostTogether: 3, mostUnderWay: 1, keyOf })
  const answers = [1, 91, 92, 3, 4, 93, 5].map(call)
  for (let group = 0; group < 4; group++) await succeed()
  assert.deepEqual(groups, [[1], [91, 3, 4], [92, 5], [93]])
  assert.deepEqual(await Promise.all(answers), [10, 910, 920, 30, 40, 930, 50])
})

for (const code of ['22021', '23505', '40P01']) {
  test(`what the database rolled back (${code}) is done again, each alone, and only the guilty one fails`, async () => {
    const { call, groups, succeed, finish } = scene()
    const first = call(1)
    const answers = Promise.allSettled([2, 3].map(call))
    await succeed()
    await finish((answer) => answer.reject(new DatabaseError(code)))
    await succeed()
    await finish((answer) => answer.reject(new DatabaseError(code)))
    assert.deepEqual(groups, [[1], [2, 3], [2], [3]])
    const [fine, guilty] = await answers
    assert.equal(await first, 10)
    assert.deepEqual(fine, { status: 'fulfilled', value: 20 })
    assert.equal(guilty?.status, 'rejected')
  })
}

test('what may have happened is not done again, and those after it go on', async () => {
  const { call, groups, succeed, finish } = scene()
  const first = call(1)
  const answers = Promise.allSettled([2, 3].map(call))
  await succeed()
  const next = call(4)
  await finish((answer) => answer.reject(new DatabaseError('CONNECTION_CLOSED')))
  await succeed()
  assert.deepEqual(groups, [[1], [2, 3], [4]])
  assert.deepEqual(
    (await answers).map(({ status }) => status),
    ['rejected', 'rejected'],
  )
  assert.deepEqual(await Promise.all([first, next]), [10, 40])
})
