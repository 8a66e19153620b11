import type { NamedFacility } from '../../domain/facilities/facility-name-store.ts'
import { eventsOf } from '../../domain/webhooks/event-names.ts'
import type { Webhook } from '../../domain/webhooks/webhook.ts'
import { card } from '../../ui/card.ts'
import { faultSummary } from '../../ui/fault-summary.ts'
import { button, form, notice } from '../../ui/form.ts'
import { html, type Markup } from '../../ui/html.ts'
import { plainText, rawText } from '../../ui/raw-text.ts'
import { select } from '../../ui/select.ts'
import { textArea } from '../../ui/text-area.ts'

export type TestTyped = { type: string; facilityId: string | null; data: string }
export type TestFaults = { data?: string; facility?: string; page?: string }

export type TestEventView = {
  at: string
  csrf: string
  webhook: Webhook
  facilities: readonly NamedFacility[]
  typed: TestTyped
  faults: TestFaults
}

export function testNotices(faults: TestFaults): Markup {
  return html`${faults.page !== undefined && notice('error', faults.page)}
${faultSummary({ facility: 'Facility', data: 'Data' }, faults)}`
}

/** Two forms: the first brings the example of another type, which needs no script; the second sends. */
export function testEventContent(view: TestEventView): Markup {
  const { at, csrf, webhook, typed, faults } = view
  if (webhook.disabledBecause !== null)
    return card(
      'test',
      'Send a test event',
      html`<p>Nothing is sent to this webhook while it is disabled.</p><p class="actions"><a class="button" href="${at}/enable">Enable it…</a></p>`,
    )
  const types = eventsOf(webhook.kind).map((value) => ({ value, label: value }))
  return card(
    'test',
    'Send a test event',
    html`<p class="faint">It goes to this webhook alone, whatever it subscribes to, with <code>"test": true</code>, signed and retried as every event is.</p>
<form class="filter" method="get" action="${at}/test">
${select({ name: 'type', label: 'Type', value: typed.type, options: types })}
<button type="submit" class="quiet">Use its example</button>
</form>
${form(`${at}/test`, { csrf, type: typed.type }, [
  facilityField(view),
  textArea({
    name: 'data',
    label: `Data of ${typed.type}`,
    value: typed.data,
    rows: 10,
    hint: html`A JSON object. It is sent to the byte as <code>data</code>, in a body with the event’s id, type and time.`,
    error: faults.data === undefined ? null : rawText(faults.data),
  }),
  html`<div class="actions">${button(`Send ${typed.type}`)}</div>
<p class="hint">We wait a few seconds for your receiver’s answer and show both sides.</p>`,
])}`,
  )
}

function facilityField({ facilities, typed, faults }: TestEventView): Markup | null {
  if (facilities.length === 0) return null
  const options = facilities.map(({ id, name }) => ({
    value: id,
    label: plainText(name === id ? id : `${name} (${id})`),
  }))
  return html`${select({ name: 'facility', label: 'Facility', value: typed.facilityId ?? '', options })}
${faults.facility !== undefined && html`<p class="error">${faults.facility}</p>`}`
}
