import type { FastifyReply } from 'fastify'
import { listPasskeys } from '../../domain/integrators/passkey-store.ts'
import { passkeyMail } from '../../ui/account-mails.ts'
import type { Markup } from '../../ui/html.ts'
import { doneNotice } from '../threshold/done.ts'
import { sendFramed } from '../threshold/frame.ts'
import type { PortalRoute } from '../threshold/hang-routes.ts'
import { type PortalParts, portalUrl } from '../threshold/parts.ts'
import type { SignedIn } from '../threshold/visit.ts'
import { passkeysContent } from './passkeys-view.ts'

/** /portal/account/passkeys: every passkey of theirs. */
export function passkeysRoutes({ db }: PortalParts): PortalRoute[] {
  return [
    {
      method: 'GET',
      path: '/account/passkeys',
      who: 'signed-in',
      answer: async (visit) => {
        const passkeys = await listPasskeys(db, visit.me.id)
        return showPasskeys(visit, 200, 'Passkeys', passkeysContent({ done: doneNotice(visit), passkeys }))
      },
    },
  ]
}

export function showPasskeys(visit: SignedIn, status: number, title: string, content: Markup): FastifyReply {
  return sendFramed(visit, status, { title, place: 'account', content })
}

/** The owner hears of it wherever it was done. */
export function tellOfPasskey(parts: PortalParts, { me }: SignedIn, what: 'added' | 'removed'): void {
  const mail = passkeyMail(me.email, portalUrl(parts, '/account/passkeys'), what)
  parts.afterwards.run('tell of a passkey', async () => parts.mailer?.send(mail))
}
