import { readNextPage } from '../threshold/next-page.ts'
import type { PortalParts } from '../threshold/parts.ts'
import type { Visit } from '../threshold/visit.ts'
import { invitationOf, withInvitation } from './invitation.ts'

/** What brought somebody here, carried along until they are signed in: an invitation, or the page that they first asked for. */
export type Errand = { name: 'invitation' | 'next'; value: string; leadsTo: string }

export function errandOf(parts: PortalParts, visit: Visit): Errand | null {
  const invitation = invitationOf(visit)
  if (invitation !== null)
    return { name: 'invitation', value: invitation, leadsTo: withInvitation('/join', invitation) }
  const value = visit.form.get('next') ?? visit.query.get('next') ?? ''
  const leadsTo = readNextPage(parts, visit, value)
  return leadsTo === null ? null : { name: 'next', value, leadsTo }
}

export function withErrand(path: string, errand: Errand | null): string {
  return errand === null ? path : `${path}?${errand.name}=${errand.value}`
}

/** Where somebody goes who has just signed in. */
export function afterwards(errand: Errand | null): string {
  return errand?.leadsTo ?? ''
}

export function errandFields(csrf: string, errand: Errand | null): Record<string, string> {
  return errand === null ? { csrf } : { csrf, [errand.name]: errand.value }
}
