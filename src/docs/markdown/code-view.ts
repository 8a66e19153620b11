import { type Content, html, type Markup } from '../../ui/html.ts'

type Language = { name: string; comment: RegExp | null }

const NO_COMMENT = null
const HASH = /^(\s*)(#.*)$/
const SLASHES = /^(\s*)(\/\/.*)$/

/** Every language that a page may show; a test refuses others. */
export const LANGUAGES: Record<string, Language> = {
  sh: { name: 'Shell', comment: HASH },
  js: { name: 'JavaScript', comment: SLASHES },
  python: { name: 'Python', comment: HASH },
  go: { name: 'Go', comment: SLASHES },
  java: { name: 'Java', comment: SLASHES },
  php: { name: 'PHP', comment: SLASHES },
  ruby: { name: 'Ruby', comment: HASH },
  csharp: { name: 'C#', comment: SLASHES },
  json: { name: 'JSON', comment: NO_COMMENT },
  http: { name: 'HTTP', comment: NO_COMMENT },
  text: { name: 'Output', comment: NO_COMMENT },
  yaml: { name: 'YAML', comment: HASH },
  sql: { name: 'SQL', comment: NO_COMMENT },
  ini: { name: 'INI', comment: HASH },
  nginx: { name: 'nginx', comment: HASH },
}

/** What is only looked at has no button to copy it. */
const SHOWN: ReadonlySet<string> = new Set(['json', 'http', 'text'])

/** Code as it is, line by line, with the words between the lines of a program set back. It can be scrolled with the keyboard. */
export function codeView(language: string, text: string): Markup {
  const { name, comment } = LANGUAGES[language] ?? { name: language, comment: NO_COMMENT }
  const copied = !SHOWN.has(language)
  return html`<div class="sample">
<p class="sample-name" aria-hidden="true">${name}</p>
<pre class="code" tabindex="0" role="group" aria-label="${name}"${copied && html` data-copy="the sample"`}><code>${withComments(text, comment)}</code></pre>
</div>
`
}

function withComments(text: string, comment: RegExp | null): Content {
  if (comment === null) return text
  return text.split('\n').map((line, position): Content => {
    const [, indent = '', words] = comment.exec(line) ?? []
    const start = position === 0 ? '' : '\n'
    return words === undefined ? start + line : html`${start}${indent}<span class="comment">${words}</span>`
  })
}
