import { type Content, html, type Markup } from './html.ts'

export type Table = {
  /** What the rows are, read out and not shown: the heading above says it to the eye. */
  caption: string
  columns: readonly string[]
  rows: ReadonlyArray<readonly Content[]>
}

/**
 * On a narrow screen each row becomes a block and each cell carries its column's name. The roles are written out because
 * browsers forget them when a table is laid out as blocks. A column without a name holds what can be done with the row.
 */
export function table({ caption, columns, rows }: Table): Markup {
  return html`<table role="table">
<caption class="unseen">${caption}</caption>
<thead role="rowgroup"><tr role="row">${columns.map((name) => html`<th role="columnheader" scope="col">${name === '' ? html`<span class="unseen">What can be done</span>` : name}</th>`)}</tr></thead>
<tbody role="rowgroup">
${rows.map(
  (
    cells,
  ) => html`<tr role="row">${cells.map((cell, position) => html`<td role="cell"${columns[position] !== '' && html` data-label="${columns[position] ?? ''}"`}><div>${cell}</div></td>`)}</tr>
`,
)}</tbody>
</table>`
}
