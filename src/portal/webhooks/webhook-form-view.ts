import type { Environment } from '../../domain/environment.ts'
import type { Webhook, WebhookKind } from '../../domain/webhooks/webhook.ts'
import { card } from '../../ui/card.ts'
import { checks } from '../../ui/checks.ts'
import { choice } from '../../ui/choice.ts'
import { faultSummary } from '../../ui/fault-summary.ts'
import { button, field, form, notice } from '../../ui/form.ts'
import { type Content, html, type Markup } from '../../ui/html.ts'
import { listing, plainText, rawText } from '../../ui/raw-text.ts'
import { textArea } from '../../ui/text-area.ts'
import type { FacilityChoice } from './facility-choice.ts'
import type { FormFaults, TypedFields } from './webhook-form.ts'
import { eventChoices, eventsInWords, facilitiesInWords } from './webhook-words.ts'

export type WebhookFormView = {
  csrf: string
  action: string
  cancel: string
  submit: string
  kind: WebhookKind
  /** Of an existing one: what the page was made of, so that nobody overwrites what they have not seen. */
  version: string | null
  choice: FacilityChoice
  typed: TypedFields
  faults: FormFaults
  /** Set when somebody else was quicker: how it is now. */
  stored: Webhook | null
}

/** Stands before everything else on the page. */
export function formNotices({ faults, stored, typed }: WebhookFormView): Markup {
  return html`${faults.page !== undefined && notice('error', faults.page)}
${faultSummary({ url: 'URL', events: 'Events', facilities: 'Facilities' }, faults)}
${stored !== null && meanwhile(stored, typed)}`
}

/** What was typed stays; what differs from it is told, so that one can decide. */
function meanwhile(stored: Webhook, typed: TypedFields): Markup {
  const news: Array<[string, Content]> = [
    ['URL', stored.url === typed.url ? null : html`<code>${rawText(stored.url)}</code>`],
    ['Events', sameSet(stored.events, typed.events) ? null : eventsInWords(stored.events)],
    [
      'Facilities',
      typed.scope === 'as-they-are' && sameSet(stored.facilities, typed.facilities)
        ? null
        : facilitiesInWords(stored.kind, stored.facilities.length),
    ],
  ]
  const facts = news.filter(([, now]) => now !== null)
  return html`<div class="notice error" role="alert"><p>Somebody has changed this webhook since you opened the page. What you typed is below; saving again puts it in place of what is stored now.</p>
${facts.length > 0 && html`<dl class="facts">${facts.map(([name, now]) => html`<dt>${name} now</dt><dd>${now}</dd>`)}</dl>`}</div>`
}

function sameSet(one: readonly string[], other: readonly string[]): boolean {
  return new Set(one).symmetricDifference(new Set(other)).size === 0
}

/** In place of the form: the next start of the listener would undo it (decision record 82). */
export function listenerContent(name: string): Markup {
  return card(
    'edit',
    'Edit',
    html`<p>It belongs to the listener <strong>${name}</strong>, and each start of that listener says anew what it gets: the facilities that are connected, and the events that are asked for.</p>
${listing(`npx handover listen --forward-to localhost:3000/hooks --name ${name} --events shift.created`, 'Command')}`,
  )
}

export function newWebhookContent(view: WebhookFormView, environment: Environment): Markup {
  return html`${formNotices(view)}
<p class="crumb"><a href="${view.cancel}">Webhooks</a></p>
${card(
  'new',
  `A new webhook in ${environment}`,
  html`<p class="faint">We call the URL with a POST when one of the events happens at one of the facilities. A secret that signs what is sent is made with it.</p>
${webhookForm(view)}`,
)}`
}

export function editWebhookContent(view: WebhookFormView): Markup {
  return html`${card('edit', 'What is sent, and where', webhookForm(view))}
${card(
  'delete',
  'Delete it',
  html`<p>Nothing is sent to it any more, and what still waits is cancelled.</p><p class="actions"><a class="button quiet" href="${view.cancel}/delete">Delete this webhook</a></p>`,
)}`
}

function webhookForm(view: WebhookFormView): Markup {
  const { csrf, action, cancel, submit, kind, version, typed, faults } = view
  return form(action, { csrf, ...(version !== null && { version }) }, [
    field({
      name: 'url',
      label: 'URL',
      type: 'url',
      value: typed.url,
      autocomplete: 'off',
      maxlength: 2_048,
      hint: 'https, a host that can be reached from the internet, no user name, no fragment.',
      error: faults.url,
    }),
    checks({
      name: 'events',
      legend: 'Events',
      options: eventChoices(kind),
      chosen: new Set(typed.events),
      error: faults.events ?? null,
    }),
    facilityFields(view),
    html`<div class="actions">${button(submit)}<a class="button quiet" href="${cancel}">Cancel</a></div>`,
  ])
}

function facilityFields({ choice: way, typed, faults, version }: WebhookFormView): Content {
  switch (way.way) {
    case 'none':
      return null
    case 'ticked':
      return way.facilities.length === 0
        ? html`<div class="field" id="facilities"><p class="note">No facility is connected to this application yet, so there is nothing to be told of. A facility connects it in its own settings.</p>${
            faults.facilities !== undefined && html`<p class="error">${rawText(faults.facilities)}</p>`
          }</div>`
        : checks({
            name: 'facilities',
            legend: 'Facilities',
            hint: 'Facilities that connect later are not added by themselves.',
            options: way.facilities.map(({ id, name }) => ({
              value: id,
              label: html`<strong>${rawText(name)}</strong>`,
              hint: html`<code>${rawText(id)}</code>`,
            })),
            chosen: new Set(typed.facilities),
            error: faults.facilities === undefined ? null : rawText(faults.facilities),
          })
    case 'typed':
      return manyFields(way, typed, faults, version !== null)
  }
}

function manyFields(
  { connected, listed }: { connected: number; listed: number },
  typed: TypedFields,
  faults: FormFaults,
  exists: boolean,
): Content {
  const options = [
    ...(exists
      ? [{ value: 'as-they-are', label: 'As they are', hint: `${listed.toLocaleString('en')} facilities, unchanged` }]
      : []),
    { value: 'all', label: 'All connected', hint: `${connected.toLocaleString('en')} now; later ones are not added` },
    { value: 'these', label: 'Only these', hint: 'By their ids, below' },
  ]
  return [
    html`<div id="facilities">${choice({ name: 'scope', legend: 'Facilities', options, value: typed.scope, error: faults.facilities && plainText(faults.facilities) })}</div>`,
    textArea({
      name: 'facility_ids',
      label: 'Ids of facilities',
      value: typed.facilities.join('\n'),
      required: false,
      hint: 'One in a line. Only read when “Only these” is chosen.',
    }),
  ]
}
