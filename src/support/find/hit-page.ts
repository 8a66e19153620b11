import type { Hit } from '../../domain/lookup/hit.ts'

/** Where more is told about it, under /support; null for what has no page of its own. */
export function pageOf({ kind, id, notes }: Hit): string | null {
  switch (kind) {
    case 'application':
      return notes.includes('deleted') ? null : `/applications/${id}`
    case 'team':
      return `/teams/${id}`
    case 'request':
      return `/requests/${id}`
    case 'person':
      return `/users/${encodeURIComponent(id)}`
    case 'integrator':
      return `/integrators/${id}`
    case 'webhook':
      return `/webhooks/${id}`
    case 'delivery':
      return `/deliveries/${id}`
    case 'event':
      return `/deliveries?event=${encodeURIComponent(id)}`
    case 'facility':
      return null
  }
}
