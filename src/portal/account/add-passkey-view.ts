import { LONGEST_PASSKEY_NAME } from '../../domain/integrators/passkey.ts'
import { button, field, form, notice } from '../../ui/form.ts'
import { html, type Markup } from '../../ui/html.ts'
import { passkeyButton, passkeyNotes } from '../../ui/passkey-button.ts'
import { currentPasswordField, forPasswordManagers } from '../../ui/password-field.ts'
import type { ProofFaults } from '../../ui/two-factor.ts'
import { PASSKEYS } from './passkeys-view.ts'

/** What is wrong with a field, or with the attempt as a whole. */
export type AddPasskeyFaults = ProofFaults & { name?: string }

const WITHOUT = 'Adding a passkey needs JavaScript, because only a script can ask your device for one.'

export function addPasskeyContent(view: {
  csrf: string
  email: string
  name: string
  asked: { password: boolean; code: boolean }
  faults: AddPasskeyFaults
}): Markup {
  const { csrf, email, name, asked, faults } = view
  return html`<p class="crumb"><a href="${PASSKEYS}">Passkeys</a></p>
<section class="card narrow">
<h1>Add a passkey</h1>
<p class="lead">Give it a name by which you will know it again. Then your browser asks you where to keep it.</p>
${faults.page !== undefined && notice('error', faults.page)}
<noscript><p class="note">${WITHOUT}</p></noscript>
${form(`${PASSKEYS}/new`, { csrf }, [
  passkeyNameField(name, faults.name),
  asked.password && [forPasswordManagers(email), currentPasswordField(faults.password)],
  asked.code &&
    field({
      name: 'code',
      label: 'Code from your app, or a recovery code',
      autocomplete: 'one-time-code',
      error: faults.code,
    }),
  html`<div class="actions">${button('Continue')}<a class="button quiet" href="${PASSKEYS}">Cancel</a></div>`,
])}
</section>`
}

export function passkeyNameField(name: string, error: string | undefined): Markup {
  return field({
    name: 'name',
    label: 'Name',
    value: name,
    autocomplete: 'off',
    maxlength: LONGEST_PASSKEY_NAME,
    hint: 'Such as “Work laptop” or “Blue security key”.',
    error,
  })
}

/** `options` is what the authenticator is asked, with a challenge that is good once. */
export function createPasskeyContent({ csrf, name, options }: { csrf: string; name: string; options: string }): Markup {
  return html`<p class="crumb"><a href="${PASSKEYS}">Passkeys</a></p>
<section class="card narrow">
<h1>Make the passkey</h1>
<p class="lead">Your browser asks where to keep “<bdi>${name}</bdi>”: on this device, in your password manager, on your phone or on a
security key. You have five minutes.</p>
${form(PASSKEYS, { csrf, name }, [
  passkeyNotes({
    fault: 'No passkey was made. Try again; if your browser does not ask you anything, it may not be able to keep one.',
    already: 'That device or password manager has a passkey for your account already.',
    without: WITHOUT,
  }),
  html`<div class="actions">${passkeyButton({ label: 'Make the passkey', kind: 'primary', action: PASSKEYS, options })}<a class="button quiet" href="${PASSKEYS}">Cancel</a></div>`,
])}
</section>`
}
