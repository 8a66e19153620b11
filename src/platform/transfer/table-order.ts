/** One table that refers to another by a foreign key. */
export type Reference = { from: string; to: string }

/** Each table behind those it refers to, otherwise by name: whoever writes them in this order meets no missing row. */
export function inOrderOfReference(tables: readonly string[], references: readonly Reference[]): string[] {
  const ordered: string[] = []
  const left = new Set(tables.toSorted())
  while (left.size > 0) {
    const ready = [...left].find(
      (table) => !references.some(({ from, to }) => from === table && from !== to && left.has(to)),
    )
    if (ready === undefined) throw new Error(`These tables refer to one another in a circle: ${[...left].join(', ')}`)
    left.delete(ready)
    ordered.push(ready)
  }
  return ordered
}
