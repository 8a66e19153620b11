import { errorContent, type ShownError } from './error-page.ts'
import { button, form } from './form.ts'
import { type Content, html, type Markup } from './html.ts'
import { documentWith } from './layout.ts'

/** What tells the pages of the portal and of the console apart, wherever somebody is in them. */
export type Desk = {
  /** The address of its first page. */
  at: '/portal' | '/support'
  /** What stands beside the product's name. */
  name: string
  /** The way back from an error. */
  wayBack: string
  /** Of the links to its parts. */
  tabsLabel: string
  /** Where its readers find out more; null where there is nothing for them. */
  documentation: '/docs' | null
  /** The bar has a colour of its own. */
  barClass: '' | ' support-bar'
}

/** A page for whoever is not signed in yet: the same sheet of paper as the sign-in pages of people. */
export function deskEntryPage(desk: Desk, title: string, content: Content): Markup {
  return documentWith(
    title,
    html`<header class="bar${desk.barClass}">${brand(desk)}</header>
<main class="sheet">
${content}
</main>`,
  )
}

/** An error, and the way back. */
export function deskErrorPage(desk: Desk, error: ShownError, requestId: string): Markup {
  return deskEntryPage(
    desk,
    error.title,
    html`${errorContent(error, requestId)}
<p class="actions"><a class="button quiet" href="${desk.at}">${desk.wayBack}</a></p>`,
  )
}

export type DeskTab = readonly [place: string, href: string, label: string]

/** What stands around every page of somebody who is signed in. */
export type DeskFrame = {
  csrf: string
  person: string
  /** Which of the tabs this is; null for a page that is none of them. */
  place: string | null
  tabs: readonly DeskTab[]
  /** In the middle of the bar. */
  middle: Markup
}

export function deskPage(desk: Desk, title: string, frame: DeskFrame, content: Content): Markup {
  return documentWith(
    title,
    html`<a class="unseen skip" href="#content">Skip to the content</a>
<header class="bar portal-bar${desk.barClass}">
${brand(desk)}
${frame.middle}
<div class="bar-end">
${
  desk.documentation !== null &&
  html`<a href="${desk.documentation}">Documentation</a>
`
}<a href="${desk.at}/account"${frame.place === 'account' && html` aria-current="page"`}>${frame.person}</a>
${form(`${desk.at}/sign-out`, { csrf: frame.csrf }, button('Sign out', { kind: 'quiet' }))}
</div>
</header>
<nav class="tabs" aria-label="${desk.tabsLabel}">
<ul>
${frame.tabs.map(
  ([place, href, label]) =>
    html`<li><a href="${href}"${place === frame.place && html` aria-current="page"`}>${label}</a></li>
`,
)}</ul>
</nav>
<main class="desk" id="content">
${content}
</main>`,
  )
}

function brand({ at, name }: Desk): Markup {
  return html`<a class="brand" href="${at}">Handover <span>${name}</span></a>`
}
