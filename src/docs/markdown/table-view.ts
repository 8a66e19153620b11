import { type Content, html, type Markup } from '../../ui/html.ts'

export type DocsTable = {
  /** What the rows are, read out and not shown: the heading above says it to the eye. */
  caption: string
  /** One that has no name is plain from what stands in it. */
  columns: readonly string[]
  rows: ReadonlyArray<readonly Content[]>
}

/**
 * On a narrow screen each row becomes a block that begins with its first cell, and where there are more than two, each of the
 * others carries its column's name. The roles are written out because browsers forget them when a table is laid out as blocks.
 */
export function docsTable({ caption, columns, rows }: DocsTable): Markup {
  const isNamed = columns.length > 2
  const label = (position: number) => (isNamed && position > 0 ? (columns[position] ?? '') : '')
  return html`<div class="docs-table">
<table role="table">
<caption class="unseen">${caption}</caption>
<thead role="rowgroup"><tr role="row">${columns.map((name) => (name === '' ? html`<td role="cell"></td>` : html`<th role="columnheader" scope="col">${name}</th>`))}</tr></thead>
<tbody role="rowgroup">
${rows.map(
  (
    cells,
  ) => html`<tr role="row">${cells.map((cell, position) => html`<td role="cell"${label(position) !== '' && html` data-label="${label(position)}"`}><div>${cell}</div></td>`)}</tr>
`,
)}</tbody>
</table>
</div>
`
}
