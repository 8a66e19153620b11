import type { Application, ApplicationType } from '../../domain/applications/application.ts'
import type { ApplicationKind } from '../../domain/applications/fitting-type.ts'
import type { Membership } from '../../domain/teams/team.ts'
import { card } from '../../ui/card.ts'
import { choice } from '../../ui/choice.ts'
import { faultSummary } from '../../ui/fault-summary.ts'
import { button, field, form, notice } from '../../ui/form.ts'
import { html, type Markup } from '../../ui/html.ts'
import { shownOnce } from './shown-once.ts'
import { typeAbout, typeInWords, typeMeans } from './type-words.ts'

export type YesNo = 'yes' | 'no'

/** The answers as far as they were given. */
export type TypedApplication = {
  name: string
  kind: ApplicationKind | null
  backEnd: YesNo | null
  people: YesNo | null
}
export type CreateFaults = { name?: string; kind?: string; back_end?: string; people?: string; page?: string }

export type CreateView = { csrf: string; team: Membership; typed: TypedApplication; faults: CreateFaults }

const KINDS: Record<ApplicationKind, { label: string; hint: string }> = {
  website: { label: 'A web site', hint: 'People use it in a browser' },
  app: { label: 'An app', hint: 'Installed on a phone or computer, or run from a command line' },
  service: { label: 'A program without a screen', hint: 'Runs on a server by itself: a job, a sync, an integration' },
}

export function questionsContent({ csrf, team, typed, faults }: CreateView): Markup {
  const at = `/portal/teams/${team.id}/applications`
  const labels = { name: 'Name', kind: 'Kind', back_end: 'Back end', people: 'For whom' }
  return html`<p class="crumb"><a href="${at}">Applications</a></p>
${faults.page !== undefined && notice('error', faults.page)}
${faultSummary(labels, faults)}
<div class="desk-head"><div><h1>Create an application</h1>
<p class="lead">Three questions, and you see what comes out of them before anything is made.</p></div></div>
${card(
  'questions',
  'What do you build?',
  form(`${at}/new`, { csrf, step: 'check' }, [
    field({
      name: 'name',
      label: 'Name',
      value: typed.name,
      autocomplete: 'off',
      maxlength: 60,
      hint: 'People see it when they are asked whether they allow the application.',
      error: faults.name,
    }),
    choice({
      name: 'kind',
      legend: '1. What kind of application is it?',
      options: Object.entries(KINDS).map(([value, words]) => ({ value, ...words })),
      value: typed.kind,
      error: faults.kind,
    }),
    choice({
      name: 'back_end',
      legend: '2. Does it have a back end?',
      options: [
        { value: 'yes', label: 'Yes', hint: 'A server of ours that can keep a secret' },
        { value: 'no', label: 'No', hint: 'All of it runs on people’s devices' },
      ],
      value: typed.backEnd,
      error: faults.back_end,
    }),
    choice({
      name: 'people',
      legend: '3. Does it act for people?',
      options: [
        { value: 'yes', label: 'Yes, for people', hint: 'They sign in, and it does what they may do' },
        { value: 'no', label: 'No, for itself', hint: 'Nobody signs in; it sees what is connected to it' },
      ],
      value: typed.people,
      error: faults.people,
    }),
    html`<div class="actions">${button('Continue')}<a class="button quiet" href="${at}">Cancel</a></div>`,
  ]),
)}`
}

export type ConfirmView = CreateView & { type: ApplicationType; made: string }

/** What the answers come to, in plain words, before it is made. */
export function confirmContent({ csrf, team, typed, faults, type, made }: ConfirmView): Markup {
  const at = `/portal/teams/${team.id}/applications`
  const hidden = {
    csrf,
    made,
    name: typed.name,
    kind: typed.kind ?? '',
    back_end: typed.backEnd ?? '',
    people: typed.people ?? '',
  }
  return html`<p class="crumb"><a href="${at}">Applications</a></p>
${faults.page !== undefined && notice('error', faults.page)}
<div class="desk-head"><div><h1>Create ${typed.name}?</h1>
<p class="lead">From your answers: <strong>${typeInWords(type)}</strong>.</p></div></div>
${card(
  'type',
  typeInWords(type),
  html`<p>${typeAbout(type)}</p>
<ul class="allow">${typeMeans(type).map((line) => html`<li>${line}</li>`)}</ul>
<p>With it come two facilities and a person of the sandbox to try it with. The type stays; everything else can be changed.</p>
${form(
  `${at}/new`,
  hidden,
  html`<div class="actions">${button('Create the application', { name: 'step', value: 'create' })}${button('Change the answers', { name: 'step', value: 'change', kind: 'quiet' })}</div>`,
)}`,
)}`
}

export type CreatedView = {
  /** /portal/teams/…/applications/… */
  path: string
  application: Application
  secret: string | null
  testPerson: { email: string; password: string }
}

/** The only time that the secret is seen. */
export function createdContent({ path, application, secret, testPerson }: CreatedView): Markup {
  return html`${notice('done', `${application.name} is created.`)}
${shownOnce([
  ['Client ID', application.id],
  ...(secret === null ? [] : ([['Client secret', secret]] satisfies Array<[string, string]>)),
  ['Test person', testPerson.email],
  ['Their password', testPerson.password],
])}
<section class="note steps" aria-labelledby="next"><h2 id="next">What to do next</h2><ul>
${
  application.type === 'machine'
    ? html`<li><a href="${path}/support">Ask support for client credentials</a>, which this type gets its tokens by.</li>`
    : html`<li><a href="${path}/settings">Register a redirect URI</a>: where people come back to once they have signed in.</li>`
}
<li><a href="${path}/quick-start">Run the quick start</a>: every line of it with this application’s own values.</li>
<li><a href="${path}/sandbox/webhooks/new">Register a webhook in the sandbox</a> and send it a test event.</li>
</ul></section>
<p class="actions"><a class="button" href="${path}">I have kept them</a></p>`
}
