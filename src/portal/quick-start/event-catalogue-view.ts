import { eventBody } from '../../domain/deliveries/event.ts'
import { exampleData } from '../../domain/deliveries/example-data.ts'
import type { Environment } from '../../domain/environment.ts'
import { EVENT_MEANINGS, type EventName } from '../../domain/webhooks/event-meanings.ts'
import { FACILITY_EVENTS, USER_EVENTS } from '../../domain/webhooks/event-names.ts'
import { card } from '../../ui/card.ts'
import { html, type Markup } from '../../ui/html.ts'
import { snippet } from '../../ui/snippet.ts'

/** Every event that there is, with a body as it is sent (decision D3). Opens without a script. */
export function eventCatalogue(environment: Environment): Markup {
  return card(
    'events',
    'Events',
    html`<p class="faint">Subscribe to each by its name, or to <code>all</code>, which includes those to come. What is in <code>data</code> is the marketplace’s; ignore fields that you do not know.</p>
<h3>Of facility webhooks</h3>
<div class="catalogue">${FACILITY_EVENTS.map((type) => entry(type, environment, { facilityId: 'fac_riverside' }))}</div>
<h3>Of user webhooks</h3>
<div class="catalogue">${USER_EVENTS.map((type) => entry(type, environment, { userId: 'usr_0198a6c2d1f07c3e9a41b7d2e5f60721' }))}</div>`,
  )
}

const WHEN = new Date('2026-11-15T08:00:00.000Z')

function entry(
  type: EventName,
  environment: Environment,
  subject: { facilityId: string } | { userId: string },
): Markup {
  const event = {
    id: 'evt_0198a6c2d1f07c3e9a41b7d2e5f60720',
    type,
    environment,
    subject,
    occurredAt: WHEN,
    test: false,
  }
  const body = eventBody({ ...event, data: exampleData(type) }, WHEN)
  return html`<details><summary><code>${type}</code> <span class="faint">${EVENT_MEANINGS[type]}</span></summary>
${snippet(`body of ${type}`, JSON.stringify(JSON.parse(body), null, 2))}</details>
`
}
