import type { Totp } from '../../../domain/users/totp-store.ts'
import { html, type Markup } from '../../../ui/html.ts'
import { page } from '../../../ui/layout.ts'
import { day } from '../../../ui/moment.ts'
import {
  type ProvenContent,
  provenContent,
  provenTitle,
  recoveryCodesContent,
  twoFactorOnContent,
} from '../../../ui/two-factor.ts'

export const ACCOUNT = '/oidc/account'
export const TWO_FACTOR = `${ACCOUNT}/two-factor`

export function twoFactorPage({ enrolledAt, recoveryCodes }: Totp): Markup {
  return page(
    'Two-factor sign-in',
    html`<p class="crumb"><a href="${ACCOUNT}">Your account</a></p>
${twoFactorOnContent(TWO_FACTOR, day(enrolledAt), recoveryCodes)}`,
  )
}

export function provenPage(view: Omit<ProvenContent, 'at'>): Markup {
  return page(
    provenTitle(view.what),
    html`<p class="crumb"><a href="${ACCOUNT}">Your account</a> › <a href="${TWO_FACTOR}">Two-factor sign-in</a></p>
${provenContent({ ...view, at: TWO_FACTOR })}`,
  )
}

export function recoveryCodesPage(codes: readonly string[], because: 'turned-on' | 'new'): Markup {
  return page('Your recovery codes', recoveryCodesContent(codes, because, ACCOUNT))
}
