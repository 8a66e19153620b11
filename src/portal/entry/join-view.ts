import type { Offer } from '../../domain/teams/join-store.ts'
import { button, form } from '../../ui/form.ts'
import { html, type Markup } from '../../ui/html.ts'
import { portalEntryPage } from '../../ui/portal-layout.ts'
import { hiddenFields, withInvitation } from './invitation.ts'

export type JoinView = {
  csrf: string
  invitation: string
  offer: Offer
  /** Who is signed in in this browser, and whether the invitation is theirs. */
  visitor: { email: string; isInvited: boolean } | null
}

export function joinPage(view: JoinView): Markup {
  const { offer } = view
  return portalEntryPage(
    'Join a team',
    html`<h1>Join ${offer.teamName}</h1>
<p class="lead">${offer.invitedBy === null ? 'You are' : html`<strong>${offer.invitedBy}</strong> has`} invited ${offer.invitedBy !== null && 'you '}to this team as <strong>${offer.role}</strong>.</p>
${whatNow(view)}`,
  )
}

function whatNow({ csrf, invitation, visitor }: JoinView): Markup {
  if (visitor === null)
    return html`<p>Create an account with the invited address, or sign in if you have one.</p>
<p class="actions"><a class="button" href="/portal${withInvitation('/sign-up', invitation)}">Create an account</a>
<a class="button quiet" href="/portal${withInvitation('/sign-in', invitation)}">Sign in</a></p>`
  if (visitor.isInvited)
    return html`<p>You are signed in as ${visitor.email}.</p>
${form('/portal/join', hiddenFields(csrf, invitation), html`<div class="actions">${button('Join the team')}<a class="button quiet" href="/portal">Not now</a></div>`)}`
  return html`<p class="note">You are signed in as <strong>${visitor.email}</strong>, and the invitation was sent to another address.
Sign out, then sign in or sign up with the address that was invited.</p>
${form('/portal/sign-out', hiddenFields(csrf, invitation), html`<div class="actions">${button('Sign out')}<a class="button quiet" href="/portal">Stay signed in</a></div>`)}`
}

export function invitationGonePage(): Markup {
  return portalEntryPage(
    'This invitation no longer works',
    html`<h1>This invitation no longer works</h1>
<p>It was used already, withdrawn, sent again with a newer link, or is older than seven days. Ask an owner of the team to
send another.</p>
<p class="actions"><a class="button" href="/portal">Go to the portal</a></p>`,
  )
}
