import type { FastifyReply } from 'fastify'
import { type Explanation, explainSignature } from '../../domain/deliveries/explain-signature.ts'
import { findSentRequest } from '../../domain/deliveries/team-delivery-store.ts'
import { notFound } from '../../http/problem.ts'
import { sendFramed } from '../threshold/frame.ts'
import type { PortalRoute } from '../threshold/hang-routes.ts'
import type { PortalParts } from '../threshold/parts.ts'
import type { InTeam } from '../threshold/visit.ts'
import { type DebuggerView, debuggerContent } from './debugger-view.ts'

type Filled = Pick<DebuggerView, 'delivery' | 'headers' | 'body'>

/** /portal/teams/:team/debugger: why a webhook does not verify. Secrets are for the answer alone: none is kept or shown again. */
export function debuggerRoutes({ db, cipher, clock }: PortalParts): PortalRoute[] {
  async function explain(visit: InTeam): Promise<FastifyReply> {
    const { form, team } = visit
    const delivery = form.get('delivery')
    const sent = delivery === null ? null : await filledFrom(team.id, delivery)
    // A body that is too long for a form is not sent back to us: it is the one that we sent.
    const headers = form.get('headers') ?? sent?.headers ?? ''
    const body = form.get('body') ?? sent?.body ?? ''
    const computed = form.get('computed') ?? ''
    const secrets = [form.get('secret'), form.get('other_secret')].filter((secret) => secret !== null)
    const filled = { delivery: sent?.delivery ?? null, headers, body }
    const faults = {
      ...(headers.trim() === '' && { headers: 'Paste the headers of the request.' }),
      ...(body === '' && { body: 'Paste the body of the request.' }),
      ...(secrets.length === 0 && { secret: 'Paste the secret of the webhook.' }),
    }
    if (Object.keys(faults).length > 0) return show(visit, 400, filled, { computed, faults })
    const asSent = sent !== null && plain(headers) === plain(sent.headers) && plain(body) === plain(sent.body)
    const pasted = { headers, body, secrets, computed: computed === '' ? null : computed, asSent }
    return show(visit, 200, filled, { computed, explanation: explainSignature(pasted, clock()) })
  }

  /** For somebody else's delivery, or one that was never sent, there is nothing to fill in. */
  async function filledFrom(teamId: string, delivery: string): Promise<Filled | null> {
    const sent = await findSentRequest(db, cipher, teamId, delivery)
    if (sent === null) return null
    const lines = Object.entries(sent.headers).map(([name, value]) => `${name}: ${value}`)
    return { delivery, headers: lines.join('\n'), body: sent.body }
  }

  return [
    {
      method: 'GET',
      path: '/teams/:team/debugger',
      who: 'webhook.see',
      answer: async (visit) => {
        const delivery = visit.query.get('delivery')
        if (delivery === null) return show(visit, 200, { delivery: null, headers: '', body: '' }, {})
        const filled = await filledFrom(visit.team.id, delivery)
        if (filled === null) throw notFound()
        return show(visit, 200, filled, {})
      },
    },
    { method: 'POST', path: '/teams/:team/debugger', who: 'webhook.see', answer: explain },
  ]
}

function show(
  visit: InTeam,
  status: number,
  filled: Filled,
  answer: { computed?: string; faults?: DebuggerView['faults']; explanation?: Explanation },
): FastifyReply {
  const { computed = '', faults = {}, explanation = null } = answer
  const at = `/portal/teams/${visit.team.id}/debugger`
  const content = debuggerContent({ csrf: visit.browser.csrf, at, ...filled, computed, faults, explanation })
  return sendFramed(visit, status, { title: 'Signature debugger', place: 'debugger', content })
}

/** A form writes line breaks as CRLF; what was filled in had none of them. */
function plain(text: string): string {
  return text.replaceAll('\r\n', '\n')
}
