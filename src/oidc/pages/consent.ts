import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { allowScope } from '../../domain/consents/consent-store.ts'
import { endInteraction, type Interaction, markConsented } from '../../domain/sessions/interaction-store.ts'
import type { Session } from '../../domain/sessions/session.ts'
import { environmentOf } from '../../domain/tokens/audience.ts'
import { type Browser, readBrowser, requireOwnForm } from '../../http/browser.ts'
import { sendPage } from '../../http/page.ts'
import { queryOf } from '../../http/query.ts'
import { transaction } from '../../platform/transaction.ts'
import { requestOf, requireInteraction } from '../authorize/interaction.ts'
import { answerError } from '../authorize/parts.ts'
import type { AuthorizeRequest } from '../authorize/request.ts'
import { formBody } from '../oauth/form-body.ts'
import { consentPage } from './consent-view.ts'
import type { PageParts } from './page-parts.ts'

type Asked = { browser: Browser; interaction: Interaction; waiting: AuthorizeRequest; session: Session }

/** /oidc/consent: what the application would get, and the person's answer (decision B20). */
export function consentRoutes(app: FastifyInstance, parts: PageParts): void {
  app.get('/consent', async (request, reply) => {
    const browser = await readBrowser(parts.browsers, request, reply)
    const asked = await whatIsAsked(browser, await requireInteraction(parts.db, request, browser))
    return asked === null ? backToStart(request, reply) : show(reply, asked)
  })

  app.post('/consent', async (request, reply) => {
    const browser = await readBrowser(parts.browsers, request, reply)
    const form = formBody(request)
    requireOwnForm(parts.browsers, browser, request, form)
    const asked = await whatIsAsked(browser, await requireInteraction(parts.db, request, browser, form))
    if (asked === null)
      return reply
        .code(303)
        .header('location', `/oidc/continue?interaction=${form.get('interaction')}`)
        .send()
    const { waiting, interaction, session } = asked
    if (form.get('decision') !== 'allow') {
      await endInteraction(parts.db, interaction.secret)
      return answerError(parts, reply, waiting, 'access_denied', 'The person did not allow it.')
    }
    const { application, audience, scope } = waiting
    await transaction(parts.db, async (tx) => {
      await allowScope(tx, { userId: session.user.id, applicationId: application.id, audience }, scope)
      await markConsented(tx, interaction.secret)
    })
    return reply.code(303).header('location', `/oidc/continue?interaction=${interaction.secret}`).send()
  })

  /** Null when there is nothing to ask: nobody is signed in, or no application waits. */
  async function whatIsAsked(browser: Browser, interaction: Interaction): Promise<Asked | null> {
    const waiting = await requestOf(parts.reader, interaction)
    return waiting === null || browser.session === null
      ? null
      : { browser, interaction, waiting, session: browser.session }
  }

  function show(reply: FastifyReply, { browser, interaction, waiting, session }: Asked): FastifyReply {
    const markup = consentPage({
      interaction: interaction.secret,
      csrf: browser.csrf,
      applicationName: waiting.application.name,
      logoUrl: waiting.application.logoUrl,
      personName: session.user.name,
      personEmail: session.user.email,
      scope: waiting.scope,
      environment: waiting.audience === null ? null : environmentOf(waiting.audience, parts.reader.audiences),
    })
    return sendPage(reply, 200, markup, waiting.redirectUri)
  }
}

function backToStart(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return reply
    .code(303)
    .header('location', `/oidc/continue?${queryOf(request)}`)
    .send()
}
