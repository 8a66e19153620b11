import { ALL_EVENTS, eventsOf } from '../../domain/webhooks/event-names.ts'
import { MAX_FACILITIES_GIVEN, type Webhook, type WebhookKind } from '../../domain/webhooks/webhook.ts'
import type { Form } from '../../http/form.ts'
import { readTarget, type TargetRules } from '../../platform/safe-request/target.ts'
import type { FacilityChoice } from './facility-choice.ts'

/** As it stands in the form. `scope` is asked where there are too many facilities to tick. */
export type TypedFields = {
  url: string
  events: string[]
  scope: 'as-they-are' | 'all' | 'these'
  facilities: string[]
}

export type FormFaults = { url?: string; events?: string; facilities?: string; page?: string }

export type ReadForm =
  | { faults: FormFaults }
  | { url: string; events: string[]; facilities: 'as-they-are' | string[] | null }

export function typedFrom(form: Form, kind: WebhookKind): TypedFields {
  const events = [ALL_EVENTS, ...eventsOf(kind)].filter((event) => form.has(`events.${event}`))
  const ticked = form
    .names()
    .flatMap((name) => (name.startsWith(TICKED) && form.has(name) ? name.slice(TICKED.length) : []))
  const written = form.get('facility_ids')?.split(/[\s,]+/) ?? []
  const scope = form.get('scope')
  return {
    url: form.get('url')?.trim() ?? '',
    events,
    scope: scope === 'all' || scope === 'these' ? scope : 'as-they-are',
    facilities: [...new Set([...ticked, ...written])].filter((id) => id !== ''),
  }
}

const TICKED = 'facilities.'

/** What a form begins with: everything for a new webhook, what it is for one that exists. */
export function typedOf(
  webhook: Pick<Webhook, 'url' | 'events' | 'facilities'> | null,
  choice: FacilityChoice,
): TypedFields {
  if (webhook === null)
    return {
      url: '',
      events: [ALL_EVENTS],
      scope: 'all',
      facilities: choice.way === 'ticked' ? choice.facilities.map(({ id }) => id) : [],
    }
  return {
    url: webhook.url,
    events: webhook.events,
    scope: 'as-they-are',
    facilities: choice.way === 'ticked' ? webhook.facilities : [],
  }
}

/** All faults at once, each at its field (decisions C5, C8, C9). */
export function readTyped(typed: TypedFields, choice: FacilityChoice, targets: TargetRules): ReadForm {
  const faults: FormFaults = {}
  const target = typed.url === '' ? { refused: 'Enter the URL that we are to call.' } : readTarget(typed.url, targets)
  if ('refused' in target) faults.url = target.refused
  if (typed.events.length === 0) faults.events = 'Choose at least one.'
  const facilities = chosenOf(typed, choice)
  if (Array.isArray(facilities) && facilities.length === 0) faults.facilities = 'Choose at least one.'
  if (Array.isArray(facilities) && facilities.length > MAX_FACILITIES_GIVEN)
    faults.facilities = `Name at most ${MAX_FACILITIES_GIVEN.toLocaleString('en')}, or take all that are connected.`
  if ('refused' in target || Object.keys(faults).length > 0) return { faults }
  return { url: target.url.href, events: typed.events, facilities }
}

function chosenOf({ scope, facilities }: TypedFields, choice: FacilityChoice): 'as-they-are' | string[] | null {
  if (choice.way === 'none') return 'as-they-are'
  // Nothing to tick: what is missing is not a tick, and the domain says what.
  if (choice.way === 'ticked' && choice.facilities.length === 0) return null
  if (choice.way === 'ticked' || scope === 'these') return facilities
  return scope === 'all' ? null : 'as-they-are'
}

export function unknownWords(ids: ReadonlySet<string>): string {
  const shown = [...ids].slice(0, 5).join(', ')
  const more = ids.size > 5 ? ` and ${ids.size - 5} more` : ''
  return `Not a facility that this webhook may be for: ${shown}${more}.`
}
