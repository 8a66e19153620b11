/** How many may go together, and how many such groups may be under way. */
export type Gathering<Input> = {
  mostTogether: number
  mostUnderWay: number
  /** Two with the same key never go together; the second waits for the next group. */
  keyOf?: (input: Input) => string
}

/**
 * Calls that go to the database together, each with an answer of its own. A call that comes alone goes at once; only while
 * enough are under way do the next ones gather, so nobody waits for others that may never come. What it saves is what every
 * statement and every commit costs before its first row.
 */
export function gatheredCalls<Input, Output>(
  together: (inputs: readonly Input[]) => Promise<readonly Output[]>,
  { mostTogether, mostUnderWay, keyOf }: Gathering<Input>,
): (input: Input) => Promise<Output> {
  let waiting: Array<Call<Input, Output>> = []
  let underWay = 0

  async function carryOut(calls: ReadonlyArray<Call<Input, Output>>): Promise<void> {
    try {
      const outputs = await together(calls.map(({ input }) => input))
      if (outputs.length !== calls.length) throw new Error('There is not one answer for each call')
      for (const [position, output] of outputs.entries()) calls[position]?.answer.resolve(output)
    } catch (error) {
      if (calls.length > 1 && wasRolledBack(error)) {
        // The fault of one of them is not the others'.
        for (const call of calls) await carryOut([call])
      } else for (const { answer } of calls) answer.reject(error)
    }
  }

  function takeGroup(): Array<Call<Input, Output>> {
    const group = new Map<unknown, Call<Input, Output>>()
    const left: typeof waiting = []
    for (const call of waiting) {
      const key = keyOf?.(call.input) ?? call
      if (group.size < mostTogether && !group.has(key)) group.set(key, call)
      else left.push(call)
    }
    waiting = left
    return [...group.values()]
  }

  function next(): void {
    while (waiting.length > 0 && underWay < mostUnderWay) {
      const calls = takeGroup()
      underWay += 1
      void carryOut(calls).finally(() => {
        underWay -= 1
        next()
      })
    }
  }

  return (input) => {
    const answer = Promise.withResolvers<Output>()
    waiting.push({ input, answer })
    next()
    return answer.promise
  }
}

type Call<Input, Output> = { input: Input; answer: PromiseWithResolvers<Output> }

/**
 * The server refused the data (classes 22 and 23) or could not do it beside others (40): nothing of it happened. After a lost
 * connection nobody knows, and it must not be done twice.
 */
function wasRolledBack(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^(?:22|23|40)...$/.test(String(error.code))
}
