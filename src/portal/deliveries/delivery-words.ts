import type { Delivery } from '../../domain/deliveries/delivery.ts'
import { dueInWords, reasonInWords, stateTag } from '../../ui/delivery-state.ts'
import { type Content, html, type Markup } from '../../ui/html.ts'
import { second } from '../../ui/moment.ts'
import { rawText } from '../../ui/raw-text.ts'
import { table } from '../../ui/table.ts'

/** The facility or the person that the event is about. */
export function subjectOf({ subject }: Pick<Delivery, 'subject'>): string {
  return 'facilityId' in subject ? subject.facilityId : subject.userId
}

/** What comes next, or came last. */
export function nextInWords({ state, nextAttemptAt, finishedAt, reason }: Delivery): Content {
  if (state === 'pending') return dueInWords(nextAttemptAt)
  if (reason !== null) return rawText(reasonInWords(reason))
  return finishedAt === null ? '' : second(finishedAt)
}

/** `at` is where deliveries are: /portal/teams/…/deliveries. */
export function deliveryTable(at: string, deliveries: readonly Delivery[]): Markup {
  return table({
    caption: 'Deliveries, newest first',
    columns: ['Event', 'About', 'Made', 'State', 'Attempts'],
    rows: deliveries.map((delivery) => [
      html`<a href="${at}/${delivery.id}"><strong>${rawText(delivery.eventType)}</strong></a><br><code class="small faint">${rawText(delivery.eventId)}</code>`,
      html`<code class="small">${rawText(subjectOf(delivery))}</code>`,
      second(delivery.createdAt),
      html`${stateTag(delivery.state)}${delivery.state !== 'delivered' && html`<br><span class="faint">${nextInWords(delivery)}</span>`}`,
      String(delivery.attempts),
    ]),
  })
}
