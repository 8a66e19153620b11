import { type Content, html, type Markup } from '../../ui/html.ts'
import { readSequenceDiagram } from '../../ui/sequence-diagram.ts'
import { sequencePicture } from '../../ui/sequence-picture.ts'
import { type Block, type Inline, plainText } from './blocks.ts'
import { codeView } from './code-view.ts'
import { destinationOf } from './page-address.ts'
import { docsTable } from './table-view.ts'

/** `path` is that of the page in which the blocks stand: links are written from there. `title` is what is above them. */
export function blocksView(blocks: readonly Block[], path: string, title: string): Markup {
  let heading = title
  return html`${blocks.map((block, position) => {
    if (block.kind === 'heading') heading = plainText(block.inside)
    return blockView(block, { path, heading, id: `${position}` })
  })}`
}

/** Where a block stands: below which heading, for what has to be called something. */
type Place = { path: string; heading: string; id: string }

function blockView(block: Block, place: Place): Markup {
  const { path } = place
  switch (block.kind) {
    case 'heading':
      return headingView(block, path)
    case 'paragraph':
      return html`<p>${inlineView(block.inside, path)}</p>
`
    case 'line':
      return html`${inlineView(block.inside, path)}`
    case 'list':
      return listView(block, place)
    case 'table':
      return docsTable({
        caption: place.heading,
        columns: block.columns.map(plainText),
        rows: block.rows.map((cells) => cells.map((cell) => inlineView(cell, path))),
      })
    case 'code':
      return block.language === 'mermaid' ? pictureView(block.text, place) : codeView(block.language, block.text)
    case 'quote':
      return html`<blockquote>
${block.inside.map((each, position) => blockView(each, { ...place, id: `${place.id}-${position}` }))}</blockquote>
`
    case 'rule':
      return html`<hr>
`
  }
}

/** The page has the only h1; the anchor is a link that says what it is a link to. */
function headingView({ depth, id, inside }: Extract<Block, { kind: 'heading' }>, path: string): Markup {
  const content = html`${inlineView(inside, path)} <a class="anchor" href="#${id}" aria-label="Link to “${plainText(inside)}”">#</a>`
  if (depth <= 2)
    return html`<h2 id="${id}">${content}</h2>
`
  return depth === 3
    ? html`<h3 id="${id}">${content}</h3>
`
    : html`<h4 id="${id}">${content}</h4>
`
}

function listView({ start, items }: Extract<Block, { kind: 'list' }>, place: Place): Markup {
  const content = items.map(
    (
      blocks,
      item,
    ) => html`<li>${blocks.map((each, position) => blockView(each, { ...place, id: `${place.id}-${item}-${position}` }))}</li>
`,
  )
  if (start === null)
    return html`<ul>
${content}</ul>
`
  return html`<ol${start !== 1 && html` start="${start}"`}>
${content}</ol>
`
}

/** What cannot be drawn is shown as it is written; a test over all pages finds it before. */
function pictureView(source: string, { heading, id }: Place): Markup {
  const read = readSequenceDiagram(source)
  return read.kind === 'diagram' ? sequencePicture(`picture-${id}`, heading, read.diagram) : codeView('text', source)
}

export function inlineView(inside: readonly Inline[], path: string): Content {
  return inside.map((part): Content => {
    switch (part.kind) {
      case 'text':
        return part.text
      case 'code':
        return html`<code>${part.text}</code>`
      case 'strong':
        return html`<strong>${inlineView(part.inside, path)}</strong>`
      case 'emphasis':
        return html`<em>${inlineView(part.inside, path)}</em>`
      case 'break':
        return html`<br>`
      case 'link':
        return linkView(part, path)
    }
  })
}

/** A file that only the repository has is named, since the site cannot lead there. */
function linkView({ href, inside }: Extract<Inline, { kind: 'link' }>, path: string): Markup {
  const text = inlineView(inside, path)
  const destination = destinationOf(href, path)
  if (destination.kind === 'address') return html`<a href="${destination.href}">${text}</a>`
  return plainText(inside).includes(destination.path)
    ? html`${text}`
    : html`${text} (<code>${destination.path}</code> in the repository)`
}
