import type { Markup } from '../../ui/html.ts'
import { page } from '../../ui/layout.ts'
import { type CodeContent, recoveryContent, totpContent } from '../../ui/two-factor.ts'

export type CodeView = { interaction: string; csrf: string; error: string | null }

export function totpPage(view: CodeView): Markup {
  return page('Enter your code', totpContent(contentOf(view)))
}

export function recoveryPage(view: CodeView): Markup {
  return page('Use a recovery code', recoveryContent(contentOf(view)))
}

function contentOf({ interaction, csrf, error }: CodeView): CodeContent {
  const app = `/oidc/totp?interaction=${interaction}`
  const links = { app, recovery: `${app}&with=recovery`, signIn: `/oidc/login?interaction=${interaction}` }
  return { action: '/oidc/totp', keep: { interaction, csrf }, links, error }
}
