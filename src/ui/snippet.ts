import { html, type Markup } from './html.ts'

/** Something to paste, as it stands; `name` says what the copy button copies. */
export function snippet(name: string, text: string): Markup {
  return html`<pre class="listing snippet" data-copy="${name}"><code>${text}</code></pre>
`
}
