import { auditOfAccount } from '../../domain/audit/audit-store.ts'
import { html, type Markup } from '../../ui/html.ts'
import { readCursor } from '../audit/audit.ts'
import { sendFramed } from '../threshold/frame.ts'
import type { PortalRoute } from '../threshold/hang-routes.ts'
import type { PortalParts } from '../threshold/parts.ts'
import { ownChanges } from './own-changes.ts'

const PER_PAGE = 50

/** /portal/account/log: every change to their own account, newest first. */
export function accountLogRoutes({ db }: PortalParts): PortalRoute[] {
  return [
    {
      method: 'GET',
      path: '/account/log',
      who: 'signed-in',
      answer: async (visit) => {
        const page = await auditOfAccount(db, visit.me.id, { before: readCursor(visit.query), limit: PER_PAGE })
        return sendFramed(visit, 200, { title: 'Changes to your account', place: 'account', content: content(page) })
      },
    },
  ]
}

function content({ rows, older }: Awaited<ReturnType<typeof auditOfAccount>>): Markup {
  return html`<p class="crumb"><a href="/portal/account">Your account</a></p>
<div class="desk-head"><div><h1>Changes to your account</h1>
<p class="lead">What was done to it and when. Nobody else sees this, and nobody can edit it.</p></div></div>
<section class="card" aria-label="Entries">
${rows.length === 0 ? html`<p class="none">There is nothing older.</p>` : ownChanges(rows)}
</section>
${older !== null && html`<p class="actions"><a class="button quiet" href="/portal/account/log?before=${older}">Older changes</a></p>`}`
}
