import type { FastifyInstance } from 'fastify'
import { markSelected } from '../../domain/sessions/interaction-store.ts'
import { readBrowser, requireOwnForm } from '../../http/browser.ts'
import { sendPage } from '../../http/page.ts'
import { button, form as markupForm } from '../../ui/form.ts'
import { html } from '../../ui/html.ts'
import { page } from '../../ui/layout.ts'
import { requestOf, requireInteraction } from '../authorize/interaction.ts'
import { formBody } from '../oauth/form-body.ts'
import type { PageParts } from './page-parts.ts'

/** /oidc/select-account (prompt=select_account): go on as who is signed in, or as somebody else. */
export function selectAccountRoutes(app: FastifyInstance, parts: PageParts): void {
  app.get('/select-account', async (request, reply) => {
    const browser = await readBrowser(parts.browsers, request, reply)
    const interaction = await requireInteraction(parts.db, request, browser)
    const waiting = await requestOf(parts.reader, interaction)
    if (browser.session === null)
      return reply.code(303).header('location', `/oidc/continue?interaction=${interaction.secret}`).send()
    const { user } = browser.session
    const markup = page(
      'Choose an account',
      html`<h1>Who is it?</h1>
${markupForm('/oidc/select-account', { interaction: interaction.secret, csrf: browser.csrf }, [
  html`<div class="actions stacked">${button(`Continue as ${user.name} (${user.email})`)}</div>`,
])}
<p class="aside"><a href="/oidc/login?interaction=${interaction.secret}">Use another account</a></p>`,
    )
    return sendPage(reply, 200, markup, waiting?.redirectUri ?? null)
  })

  app.post('/select-account', async (request, reply) => {
    const browser = await readBrowser(parts.browsers, request, reply)
    const form = formBody(request)
    requireOwnForm(parts.browsers, browser, request, form)
    const interaction = await requireInteraction(parts.db, request, browser, form)
    await markSelected(parts.db, interaction.secret)
    return reply.code(303).header('location', `/oidc/continue?interaction=${interaction.secret}`).send()
  })
}
