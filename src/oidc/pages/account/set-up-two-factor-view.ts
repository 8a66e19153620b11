import { inGroups } from '../../../domain/users/recovery-code.ts'
import { base32, otpauthUri } from '../../../domain/users/totp.ts'
import { qrPath } from '../../../platform/qr-path.ts'
import { html, type Markup } from '../../../ui/html.ts'
import { page } from '../../../ui/layout.ts'
import { type ProofFaults, setUpContent } from '../../../ui/two-factor.ts'
import { ACCOUNT, TWO_FACTOR } from './two-factor-view.ts'

export type SetUpView = { csrf: string; email: string; secret: Uint8Array; sealed: string; faults: ProofFaults }

export function setUpPage({ csrf, email, secret, sealed, faults }: SetUpView): Markup {
  const uri = otpauthUri(email, secret)
  const key = inGroups(base32(secret), ' ')
  const content = { at: TWO_FACTOR, account: ACCOUNT, csrf, email, uri, qr: qrPath(uri), key, sealed, faults }
  return page(
    'Turn on two-factor sign-in',
    html`<p class="crumb"><a href="${ACCOUNT}">Your account</a></p>
${setUpContent(content)}`,
  )
}
