import { type Content, html, type Markup } from './html.ts'

export type Checks = {
  /** Each is sent by a name of its own, `name.value`: a form carries every name once. */
  name: string
  legend: string
  options: ReadonlyArray<{ value: string; label: Content; hint?: Content }>
  chosen: ReadonlySet<string>
  hint?: Content
  error?: Content
}

/** Any number of several; hint and error are read out with the question. */
export function checks({ name, legend, options, chosen, hint = null, error = null }: Checks): Markup {
  const notes = [hint !== null && `${name}-hint`, error !== null && `${name}-error`].filter((id) => id !== false)
  return html`<fieldset class="checks" id="${name}"${notes.length > 0 && html` aria-describedby="${notes.join(' ')}"`}>
<legend>${legend}</legend>
${hint !== null && html`<p class="hint" id="${name}-hint">${hint}</p>`}
<div class="options">
${options.map(
  (option) => html`<label class="option"><input type="checkbox" name="${name}.${option.value}" value="on"${
    chosen.has(option.value) && html` checked`
  }${error !== null && html` aria-invalid="true"`}><span>${option.label}${
    option.hint !== undefined && option.hint !== null && html` <small>${option.hint}</small>`
  }</span></label>
`,
)}</div>
${error !== null && html`<p class="error" id="${name}-error">${error}</p>`}
</fieldset>`
}
