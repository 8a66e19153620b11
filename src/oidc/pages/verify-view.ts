import type { Markup } from '../../ui/html.ts'
import { page } from '../../ui/layout.ts'
import { type VerifyContent, verifyContent } from '../../ui/verify-content.ts'

export type VerifyView = Pick<VerifyContent, 'email' | 'fault' | 'notice' | 'mailboxUrl'> & {
  interaction: string
  csrf: string
}

export function verifyPage({ interaction, csrf, ...view }: VerifyView): Markup {
  const startAgain = `/oidc/signup?interaction=${interaction}`
  const content = verifyContent({ action: '/oidc/verify', keep: { interaction, csrf }, startAgain, ...view })
  return page('Check your mail', content)
}
