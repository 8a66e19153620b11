import { type Desk, deskEntryPage, deskErrorPage, deskPage } from './desk-layout.ts'
import type { ShownError } from './error-page.ts'
import { type Content, html, type Markup } from './html.ts'

/** Its bar has another colour than any page that others see. */
const SUPPORT: Desk = {
  at: '/support',
  name: 'Support',
  wayBack: 'Go to the console',
  tabsLabel: 'Support console',
  documentation: null,
  barClass: ' support-bar',
}

export function supportEntryPage(title: string, content: Content): Markup {
  return deskEntryPage(SUPPORT, title, content)
}

export function supportErrorPage(error: ShownError, requestId: string): Markup {
  return deskErrorPage(SUPPORT, error, requestId)
}

export type SupportPlace = 'queue' | 'deliveries' | 'health' | 'audit' | 'account' | null

/** What stands around every page of somebody of support. */
export type SupportFrame = {
  csrf: string
  person: string
  place: SupportPlace
  /** What was looked for, on the page that answers it. */
  sought: string
}

export function supportPage(title: string, frame: SupportFrame, content: Content): Markup {
  const { csrf, person, place, sought } = frame
  return deskPage(SUPPORT, title, { csrf, person, place, tabs: TABS, middle: findForm(sought) }, content)
}

function findForm(sought: string): Markup {
  return html`<form class="find" method="get" action="/support/find" role="search">
<label class="unseen" for="find">Find an application, a person, a request and more</label>
<input id="find" name="q" type="search" value="${sought}" placeholder="Client id, e-mail, request, event…" autocomplete="off" autocapitalize="none" spellcheck="false" maxlength="320">
<button type="submit">Find</button>
</form>`
}

const TABS: Array<[place: Exclude<SupportPlace, null>, href: string, label: string]> = [
  ['queue', '/support', 'Requests'],
  ['deliveries', '/support/deliveries', 'Deliveries'],
  ['health', '/support/health', 'Keys and health'],
  ['audit', '/support/audit', 'Audit log'],
  ['account', '/support/account', 'Your account'],
]
