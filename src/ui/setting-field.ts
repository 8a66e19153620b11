import { choice } from './choice.ts'
import { field } from './form.ts'
import { html, type Markup } from './html.ts'
import { textArea } from './text-area.ts'

export type SettingField = {
  name: string
  label: string
  hint: string
  kind: 'one' | 'several' | 'lines' | 'number'
  options: ReadonlyArray<{ value: string; label: string; hint: string }>
}

/** One field of a setting that support decides on, whoever fills it in. Each of several is sent by a name of its own. */
export function settingField(input: SettingField, text: string, error: string | undefined): Markup {
  const { name, label, hint, kind, options } = input
  switch (kind) {
    case 'one':
      return choice({ name, legend: label, options, value: text, error })
    case 'several':
      return several(input, text.split(' '), error)
    case 'lines':
      return textArea({ name, label, value: text, rows: 5, required: false, hint, error: error ?? null })
    case 'number':
      return field({ name, label, value: text, autocomplete: 'off', inputmode: 'numeric', maxlength: 9, hint, error })
  }
}

function several({ name, label, options }: SettingField, chosen: readonly string[], error: string | undefined): Markup {
  return html`<fieldset class="choice" id="${name}"${error !== undefined && html` aria-describedby="${name}-error"`}>
<legend>${label}</legend>
<div class="options">
${options.map(
  (option) => html`<label class="option"><input type="checkbox" name="${name}.${option.value}" value="on"${
    chosen.includes(option.value) && html` checked`
  }${error !== undefined && html` aria-invalid="true"`}><span><strong>${option.label}</strong> <small>${option.hint}</small></span></label>
`,
)}</div>
${error !== undefined && html`<p class="error" id="${name}-error">${error}</p>`}
</fieldset>`
}
