import { AUDIT_ACTIONS } from '../../domain/audit/audit.ts'
import type { AuditFilter } from '../../domain/audit/audit-store.ts'

/** As it stands in the fields of the page. */
export type TypedFilter = {
  actor: string
  action: string
  team: string
  application: string
  request: string
  from: string
  to: string
}

export type ReadFilter = { typed: TypedFilter; filter: AuditFilter; faults: { from?: string; to?: string } }

const LONGEST = 320
const DAY_MS = 86_400_000

/** An action that we do not know counts as none; a day that is none is told, because nothing found would mislead. */
export function readFilter(get: (name: string) => string | null): ReadFilter {
  const text = (name: string) => (get(name) ?? '').trim().slice(0, LONGEST)
  const typed = {
    actor: text('actor'),
    action: text('action'),
    team: text('team'),
    application: text('application'),
    request: text('request'),
    from: text('from'),
    to: text('to'),
  }
  const from = readDay(typed.from)
  const to = readDay(typed.to)
  return {
    typed,
    filter: {
      actor: typed.actor || null,
      action: AUDIT_ACTIONS.find((known) => known === typed.action) ?? null,
      teamId: typed.team || null,
      applicationId: typed.application || null,
      requestId: typed.request || null,
      from,
      // The whole of the last day is meant.
      until: to === null ? null : new Date(to.getTime() + DAY_MS),
    },
    faults: {
      ...(typed.from !== '' && from === null && { from: NO_DAY }),
      ...(typed.to !== '' && to === null && { to: NO_DAY }),
    },
  }
}

const NO_DAY = 'Write the day like 2026-11-15.'

/** In UTC, as the page shows times. */
function readDay(text: string): Date | null {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return null
  const day = new Date(`${text}T00:00:00Z`)
  return Number.isNaN(day.getTime()) || !day.toISOString().startsWith(text) ? null : day
}

/** The filter as a query, for the next page. */
export function filterQuery(typed: TypedFilter): string {
  const set = Object.entries(typed).filter(([, value]) => value !== '')
  return set.map(([name, value]) => `${name}=${encodeURIComponent(value)}&`).join('')
}
