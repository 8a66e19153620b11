import type { Visit } from '../threshold/visit.ts'

/** The secret of the link that led here, carried along until somebody is signed in and can be asked; null without one. */
export function invitationOf({ form, query }: Visit): string | null {
  const secret = form.get('invitation') ?? query.get('invitation') ?? ''
  return /^[\w-]{43}$/.test(secret) ? secret : null
}

export function withInvitation(path: string, invitation: string | null): string {
  return invitation === null ? path : `${path}?invitation=${invitation}`
}

/** Where somebody goes who has just signed in. */
export function onwards(invitation: string | null): string {
  return invitation === null ? '' : withInvitation('/join', invitation)
}

export function hiddenFields(csrf: string, invitation: string | null): Record<string, string> {
  return invitation === null ? { csrf } : { csrf, invitation }
}
