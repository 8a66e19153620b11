import { LONGEST_PASSWORD, SHORTEST_PASSWORD } from '../../domain/users/password-rules.ts'
import type { SignUpFaults, SignUpField, SignUpTyped } from '../../domain/users/sign-up.ts'
import { choice } from '../../ui/choice.ts'
import { faultSummary } from '../../ui/fault-summary.ts'
import { button, field, form, notice } from '../../ui/form.ts'
import { html, type Markup } from '../../ui/html.ts'
import { page } from '../../ui/layout.ts'
import { newPasswordField } from '../../ui/password-field.ts'

export type SignUpView = {
  interaction: string
  csrf: string
  applicationName: string | null
  /** What was typed before; the password is not given back. */
  typed: Partial<SignUpTyped>
  faults: SignUpFaults
  /** What is wrong with none of the fields. */
  error: string | null
}

const LABELS: Record<SignUpField, string> = {
  role: 'What you do',
  name: 'Name',
  nickname: 'Nickname',
  email: 'E-mail',
  username: 'Username',
  password: 'Password',
  phoneNumber: 'Phone',
  city: 'City',
  state: 'State',
}

export function signUpPage({ interaction, csrf, applicationName, typed, faults, error }: SignUpView): Markup {
  const about = (name: Exclude<SignUpField, 'role' | 'password'>) => ({
    name,
    label: LABELS[name],
    value: typed[name] ?? '',
    error: faults[name],
  })
  return page(
    'Create an account',
    html`<h1>Create an account</h1>
${applicationName !== null && html`<p class="lead">to continue to <strong>${applicationName}</strong></p>`}
${error !== null && notice('error', error)}
${faultSummary(LABELS, faults)}
${form('/oidc/signup', { interaction, csrf }, [
  choice({
    name: 'role',
    legend: LABELS.role,
    value: typed.role ?? null,
    error: faults.role,
    options: [
      { value: 'NURSE_USER', label: 'I am a nurse', hint: 'I work shifts' },
      { value: 'FACILITY_USER', label: 'I am with a facility', hint: 'I offer shifts' },
    ],
  }),
  field({ ...about('name'), autocomplete: 'name', maxlength: 100 }),
  field({
    ...about('nickname'),
    autocomplete: 'nickname',
    required: false,
    maxlength: 50,
    hint: 'What others call you.',
  }),
  field({
    ...about('email'),
    type: 'email',
    autocomplete: 'email',
    inputmode: 'email',
    maxlength: 254,
    hint: 'We send you a code to make sure that it is yours.',
  }),
  field({
    ...about('username'),
    autocomplete: 'username',
    required: false,
    maxlength: 32,
    hint: 'You can sign in with it in place of your e-mail address.',
  }),
  newPasswordField({
    name: 'password',
    label: LABELS.password,
    shortest: SHORTEST_PASSWORD,
    longest: LONGEST_PASSWORD,
    error: faults.password,
  }),
  field({
    ...about('phoneNumber'),
    type: 'tel',
    autocomplete: 'tel',
    inputmode: 'tel',
    required: false,
    maxlength: 32,
  }),
  html`<div class="side-by-side">${field({ ...about('city'), autocomplete: 'address-level2', required: false, maxlength: 100 })}${field({ ...about('state'), autocomplete: 'address-level1', required: false, maxlength: 50 })}</div>`,
  html`<div class="actions">${button('Continue')}</div>`,
])}
<p class="aside">You have an account? <a href="/oidc/login?interaction=${interaction}">Sign in</a></p>`,
  )
}

/** Without a way to send mail nobody can prove an address (decision B22). */
export function signUpOffPage(interaction: string): Markup {
  return page(
    'No sign-up here',
    html`<h1>New accounts cannot be made here</h1>
<p>Signing up is switched off for this service. If you have an account, you can sign in with it.</p>
<p class="aside"><a href="/oidc/login?interaction=${interaction}">Sign in</a></p>`,
  )
}
