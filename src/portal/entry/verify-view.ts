import type { Markup } from '../../ui/html.ts'
import { portalEntryPage } from '../../ui/portal-layout.ts'
import { type VerifyContent, verifyContent } from '../../ui/verify-content.ts'
import { withInvitation } from './invitation.ts'

export type VerifyView = Pick<VerifyContent, 'email' | 'fault' | 'notice' | 'mailboxUrl'> & {
  csrf: string
  invitation: string | null
}

export function verifyPage({ csrf, invitation, ...view }: VerifyView): Markup {
  const startAgain = `/portal${withInvitation('/sign-up', invitation)}`
  const content = verifyContent({ action: '/portal/verify', keep: { csrf }, startAgain, ...view })
  return portalEntryPage('Check your mail', content)
}
