import type { FastifyInstance, FastifyReply } from 'fastify'
import { type Interaction, markPending } from '../../domain/sessions/interaction-store.ts'
import { type Browser, readBrowser, requireOwnForm } from '../../http/browser.ts'
import { sendPage } from '../../http/page.ts'
import { queryOf } from '../../http/query.ts'
import { TOO_MANY_CODES, WRONG_CODE, WRONG_RECOVERY_CODE } from '../../ui/two-factor.ts'
import { requestOf, requireInteraction } from '../authorize/interaction.ts'
import { formBody } from '../oauth/form-body.ts'
import type { PageParts } from './page-parts.ts'
import { signIn } from './sign-in.ts'
import { recoveryPage, totpPage } from './totp-view.ts'
import { tryCode } from './try-code.ts'

type CodeKind = 'totp' | 'recovery'

/**
 * /oidc/totp: the step between a right password and the session, for people with one-time codes. Whose code is awaited is
 * stored with the interaction, which is bound to the browser; there is no session before the code.
 */
export function totpRoutes(app: FastifyInstance, parts: PageParts): void {
  app.get('/totp', async (request, reply) => {
    const browser = await readBrowser(parts.browsers, request, reply)
    const interaction = await requireInteraction(parts.db, request, browser)
    if (interaction.pendingUserId === null) return passwordFirst(reply, interaction)
    const kind = new URLSearchParams(queryOf(request)).get('with') === 'recovery' ? 'recovery' : 'totp'
    return show(reply, browser, interaction, { kind, status: 200, error: null })
  })

  app.post('/totp', async (request, reply) => {
    const browser = await readBrowser(parts.browsers, request, reply)
    const form = formBody(request)
    requireOwnForm(parts.browsers, browser, request, form)
    const interaction = await requireInteraction(parts.db, request, browser, form)
    const { pendingUserId } = interaction
    if (pendingUserId === null) return passwordFirst(reply, interaction)
    const kind: CodeKind = form.has('recovery_code') ? 'recovery' : 'totp'
    const typed = form.get('recovery_code') ?? form.get('code') ?? ''
    switch (await tryCode(parts, browser, pendingUserId, typed)) {
      case 'wrong': {
        const error = kind === 'recovery' ? WRONG_RECOVERY_CODE : WRONG_CODE
        return show(reply, browser, interaction, { kind, status: 400, error })
      }
      case 'too-many':
        return show(reply, browser, interaction, { kind, status: 429, error: TOO_MANY_CODES })
      case 'right':
        await markPending(parts.db, interaction.secret, null)
        await signIn(parts, reply, browser, pendingUserId)
        return reply.code(303).header('location', `/oidc/continue?interaction=${interaction.secret}`).send()
    }
  })

  async function show(
    reply: FastifyReply,
    browser: Browser,
    interaction: Interaction,
    { kind, status, error }: { kind: CodeKind; status: number; error: string | null },
  ): Promise<FastifyReply> {
    const waiting = await requestOf(parts.reader, interaction)
    const view = { interaction: interaction.secret, csrf: browser.csrf, error }
    const markup = kind === 'recovery' ? recoveryPage(view) : totpPage(view)
    return sendPage(reply, status, markup, waiting?.redirectUri ?? null)
  }
}

/** The password was never right here, or too long ago. */
function passwordFirst(reply: FastifyReply, { secret }: Interaction): FastifyReply {
  return reply.code(303).header('location', `/oidc/login?interaction=${secret}`).send()
}
