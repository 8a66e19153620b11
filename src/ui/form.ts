import { type Content, html, type Markup } from './html.ts'

export type Field = {
  name: string
  label: string
  type?: 'text' | 'email' | 'password' | 'tel' | 'url' | 'date' | 'datetime-local'
  value?: string
  autocomplete: string
  required?: boolean
  hint?: string
  error?: string | undefined
  inputmode?: 'numeric' | 'email' | 'tel'
  maxlength?: number
}

/** A labelled field; its hint and its error are tied to it, so that they are read out with it. */
export function field({
  name,
  label,
  type = 'text',
  value = '',
  autocomplete,
  required = true,
  hint,
  error,
  inputmode,
  maxlength,
}: Field): Markup {
  const notes = [hint !== undefined && `${name}-hint`, error !== undefined && `${name}-error`].filter(
    (id) => id !== false,
  )
  return html`<div class="field">
<label for="${name}">${label}${!required && html` <span class="optional">optional</span>`}</label>
<input id="${name}" name="${name}" type="${type}" autocomplete="${autocomplete}" value="${value}"${required && html` required`}${
    maxlength !== undefined && html` maxlength="${maxlength}"`
  }${inputmode !== undefined && html` inputmode="${inputmode}"`}${error !== undefined && html` aria-invalid="true"`}${
    notes.length > 0 && html` aria-describedby="${notes.join(' ')}"`
  }${type === 'text' || type === 'email' ? html` autocapitalize="none" spellcheck="false"` : null}>
${hint !== undefined && html`<p class="hint" id="${name}-hint">${hint}</p>`}
${error !== undefined && html`<p class="error" id="${name}-error">${error}</p>`}
</div>`
}

/** A form that posts to us: hidden values, what is asked, and what can be done. */
export function form(action: string, hidden: Record<string, string>, content: Content): Markup {
  return html`<form method="post" action="${action}" novalidate>
${Object.entries(hidden).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
${content}
</form>`
}

export function button(
  label: string,
  options: { name?: string; value?: string; kind?: 'primary' | 'quiet' | 'danger' } = {},
): Markup {
  const { name, value, kind = 'primary' } = options
  return html`<button type="submit" class="${kind}"${name !== undefined && html` name="${name}" value="${value ?? ''}"`}>${label}</button>`
}

/** Said at the top of a page, and announced: what went wrong or what was done. */
export function notice(kind: 'error' | 'done', text: Content): Markup {
  return html`<p class="notice ${kind}" role="${kind === 'error' ? 'alert' : 'status'}">${text}</p>`
}
