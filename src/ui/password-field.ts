import { field } from './form.ts'
import { html, type Markup } from './html.ts'

/** Tells a password manager whose password this is; people do not see it, and it is not sent. */
export function forPasswordManagers(email: string): Markup {
  return html`<input class="unseen" type="text" autocomplete="username" value="${email}" readonly tabindex="-1" aria-hidden="true">`
}

export function currentPasswordField(error: string | undefined, label = 'Password'): Markup {
  return field({ name: 'password', label, type: 'password', autocomplete: 'current-password', error })
}

/** How long one may be is the domain's to say. */
export function newPasswordField(given: {
  name: string
  label: string
  shortest: number
  longest: number
  error: string | undefined
}): Markup {
  return field({
    name: given.name,
    label: given.label,
    type: 'password',
    autocomplete: 'new-password',
    hint: `${given.shortest} to ${given.longest} characters; a few words that do not belong together are good.`,
    error: given.error,
  })
}
