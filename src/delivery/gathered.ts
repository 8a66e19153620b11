/** A question that is cheaper to ask of many at once: those that come within a few milliseconds are asked together. */
export function gathered<Item>(
  withinMs: number,
  ask: (items: Item[]) => Promise<readonly Item[]>,
): (item: Item) => Promise<boolean> {
  let waiting: Item[] = []
  let answer: Promise<ReadonlySet<Item>> | null = null

  async function askAll(): Promise<ReadonlySet<Item>> {
    await new Promise((done) => setTimeout(done, withinMs))
    const items = waiting
    waiting = []
    answer = null
    return new Set(await ask(items))
  }

  return async (item) => {
    waiting.push(item)
    answer ??= askAll()
    return (await answer).has(item)
  }
}
