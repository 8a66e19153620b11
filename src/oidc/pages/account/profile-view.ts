import type { Profile, Typed } from '../../../domain/users/profile.ts'
import { button, field, form, notice } from '../../../ui/form.ts'
import { html, type Markup } from '../../../ui/html.ts'
import { page } from '../../../ui/layout.ts'

export type ProfileView = {
  csrf: string
  email: string
  typed: Typed
  faults: Partial<Record<keyof Profile, string>>
}

export function profilePage({ csrf, email, typed, faults }: ProfileView): Markup {
  const optional = { required: false }
  return page(
    'Your profile',
    html`<p class="crumb"><a href="/oidc/account">Your account</a></p>
<h1>Your profile</h1>
<p class="lead">Applications that you allow to can see this. Your e-mail address is <strong>${email}</strong>; to change it,
write to support.</p>
${Object.keys(faults).length > 0 && notice('error', 'Nothing is saved yet: please look at the fields below.')}
${form('/oidc/account/profile', { csrf }, [
  field({ name: 'name', label: 'Name', value: typed.name ?? '', autocomplete: 'name', error: faults.name }),
  field({
    name: 'nickname',
    label: 'Nickname',
    value: typed.nickname ?? '',
    autocomplete: 'nickname',
    error: faults.nickname,
    ...optional,
  }),
  field({
    name: 'phone_number',
    label: 'Phone',
    type: 'tel',
    value: typed.phoneNumber ?? '',
    autocomplete: 'tel',
    error: faults.phoneNumber,
    ...optional,
  }),
  field({
    name: 'city',
    label: 'City',
    value: typed.city ?? '',
    autocomplete: 'address-level2',
    error: faults.city,
    ...optional,
  }),
  field({
    name: 'state',
    label: 'State',
    value: typed.state ?? '',
    autocomplete: 'address-level1',
    error: faults.state,
    ...optional,
  }),
  field({
    name: 'picture',
    label: 'Picture',
    value: typed.picture ?? '',
    autocomplete: 'photo',
    hint: 'The address of a picture of you on the web, beginning with https://. Leave it empty for none.',
    error: faults.picture,
    ...optional,
  }),
  html`<div class="actions">${button('Save')}<a class="button quiet" href="/oidc/account">Cancel</a></div>`,
])}`,
  )
}
