import { type Content, html, type Markup } from './html.ts'

export type TextArea = {
  name: string
  label: string
  value?: string
  rows?: number
  required?: boolean
  hint?: Content
  error?: Content
}

/** Several lines; its hint and its error are tied to it as those of a field are. */
export function textArea(area: TextArea): Markup {
  const { name, label, value = '', rows = 4, required = true, hint = null, error = null } = area
  const notes = [hint !== null && `${name}-hint`, error !== null && `${name}-error`].filter((id) => id !== false)
  // A browser drops the first line break inside: without this one, a value that begins with a line break would lose it.
  return html`<div class="field">
<label for="${name}">${label}${!required && html` <span class="optional">optional</span>`}</label>
<textarea id="${name}" name="${name}" rows="${rows}" autocapitalize="none" spellcheck="false"${required && html` required`}${
    error !== null && html` aria-invalid="true"`
  }${notes.length > 0 && html` aria-describedby="${notes.join(' ')}"`}>
${value}</textarea>
${hint !== null && html`<div class="hint" id="${name}-hint">${hint}</div>`}
${error !== null && html`<div class="error" id="${name}-error">${error}</div>`}
</div>`
}
