import { LONGEST_PASSWORD, SHORTEST_PASSWORD } from '../../domain/users/password-rules.ts'
import { button, form, notice } from '../../ui/form.ts'
import { html, type Markup } from '../../ui/html.ts'
import { forPasswordManagers, newPasswordField } from '../../ui/password-field.ts'
import { supportEntryPage } from '../../ui/support-layout.ts'

export type ChoosePasswordView = {
  secret: string
  csrf: string
  email: string
  fault: string | null
  error: string | null
}

export function choosePasswordPage({ secret, csrf, email, fault, error }: ChoosePasswordView): Markup {
  return supportEntryPage(
    'Choose a password',
    html`<h1>Choose a password</h1>
<p class="lead">for <strong>${email}</strong> at the support console. Afterwards you sign in and set up your second factor.</p>
${error !== null && notice('error', error)}
${form('/support/password', { secret, csrf }, [
  forPasswordManagers(email),
  newPasswordField({
    name: 'password',
    label: 'Password',
    shortest: SHORTEST_PASSWORD,
    longest: LONGEST_PASSWORD,
    error: fault ?? undefined,
  }),
  html`<div class="actions">${button('Save the password')}</div>`,
])}`,
  )
}

export function linkGonePage(): Markup {
  return supportEntryPage(
    'This link no longer works',
    html`<h1>This link no longer works</h1>
<p>It was used already, is older than a day, or is not complete. Whoever runs this service can print another one with
<code>handover staff reset</code>.</p>
<p class="actions"><a class="button quiet" href="/support/sign-in">Sign in</a></p>`,
  )
}

export function passwordChosenPage(email: string): Markup {
  return supportEntryPage(
    'Password saved',
    html`<h1>Your password is saved</h1>
${notice('done', html`Every browser of <strong>${email}</strong> is signed out.`)}
<p class="actions"><a class="button" href="/support/sign-in">Sign in</a></p>`,
  )
}
