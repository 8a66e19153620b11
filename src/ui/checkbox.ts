import { type Content, html, type Markup } from './html.ts'

export type Checkbox = { name: string; label: string; hint?: Content; checked: boolean; error?: string | undefined }

/** On or off, with a word of explanation. Sent as `on` when it is checked, and not at all when it is not. */
export function checkbox({ name, label, hint = null, checked, error }: Checkbox): Markup {
  return html`<div class="tick" id="${name}">
<label class="option"><input type="checkbox" name="${name}" value="on"${checked && html` checked`}${
    error !== undefined && html` aria-invalid="true" aria-describedby="${name}-error"`
  }><span><strong>${label}</strong>${hint !== null && html` <small>${hint}</small>`}</span></label>
${error !== undefined && html`<p class="error" id="${name}-error">${error}</p>`}
</div>`
}
