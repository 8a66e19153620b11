import { newId } from '../../platform/ids.ts'
import type { PortalParts } from '../threshold/parts.ts'
import type { InTeam } from '../threshold/visit.ts'

/** What a form makes, and where: such an id is good there and nowhere else. */
export type FormId = { prefix: 'app' | 'sec'; within: string }

/**
 * The id of what a form is going to make travels in the form, encrypted for this session: sent a second time, by a reload or
 * by two clicks, it makes no second one. Nobody can choose an id themselves.
 */
export function sealNewId({ cipher }: PortalParts, visit: InTeam, made: FormId): string {
  return cipher.encrypt(newId(made.prefix), contextOf(visit, made)).toString('base64url')
}

/** Null when it was not made for this form in this session. */
export function openFormId({ cipher }: PortalParts, visit: InTeam, made: FormId): string | null {
  try {
    return cipher.decrypt(Buffer.from(visit.form.get('made') ?? '', 'base64url'), contextOf(visit, made)).toString()
  } catch {
    return null
  }
}

function contextOf({ team, session }: InTeam, { prefix, within }: FormId): string {
  return `new ${prefix} within ${within} of ${team.id} in ${session.sid}`
}
