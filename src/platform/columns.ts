/** Rows for a terminal; every column as wide as its widest cell. */
export function columns(rows: readonly string[][]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)))
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

export function moment(date: Date | null): string {
  return date === null ? '–' : date.toISOString().slice(0, 19).replace('T', ' ')
}
