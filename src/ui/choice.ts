import { html, type Markup } from './html.ts'

export type Choice = {
  name: string
  legend: string
  options: ReadonlyArray<{ value: string; label: string; hint: string }>
  value: string | null
  error?: string | undefined
}

/** One of a few, each with a word of explanation; the error is read out with the question. */
export function choice({ name, legend, options, value, error }: Choice): Markup {
  return html`<fieldset class="choice" id="${name}"${error !== undefined && html` aria-describedby="${name}-error"`}>
<legend>${legend}</legend>
<div class="options">
${options.map(
  (option) => html`<label class="option"><input type="radio" name="${name}" value="${option.value}" required${
    option.value === value && html` checked`
  }${error !== undefined && html` aria-invalid="true"`}><span><strong>${option.label}</strong> <small>${option.hint}</small></span></label>
`,
)}</div>
${error !== undefined && html`<p class="error" id="${name}-error">${error}</p>`}
</fieldset>`
}
