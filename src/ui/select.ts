import { html, type Markup } from './html.ts'

export type Select = {
  name: string
  label: string
  value: string
  options: ReadonlyArray<{ value: string; label: string }>
}

export function select({ name, label, value, options }: Select): Markup {
  return html`<div class="field">
<label for="${name}">${label}</label>
<select id="${name}" name="${name}">
${options.map((option) => html`<option value="${option.value}"${option.value === value && html` selected`}>${option.label}</option>`)}
</select>
</div>`
}
