import type { WebhookKind } from '../domain/webhooks/webhook.ts'
import { type ApiRequest, callApi } from './call-api.ts'
import type { Connection } from './connection.ts'
import { itemsOf, textOf } from './json-value.ts'
import { Refused } from './refused.ts'

/** A webhook as the API tells of it, as far as commands need it. */
export type ListedWebhook = {
  id: string
  kind: WebhookKind
  url: string
  events: string[]
  facilities: string[]
  isEnabled: boolean
}

const KINDS: readonly WebhookKind[] = ['facility', 'user']
const MOST_PAGES = 20

/** Every webhook of the application in the environment, page by page. */
export async function listWebhooks(connection: Connection, signal?: AbortSignal): Promise<ListedWebhook[]> {
  const found: ListedWebhook[] = []
  for (const kind of KINDS) {
    let cursor: string | null = null
    for (let page = 0; page < MOST_PAGES; page += 1) {
      const path: string = `/webhooks/${kind}?limit=100${cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`}`
      const answer = await callApi(connection, { method: 'GET', path, ...(signal && { signal }) })
      found.push(...itemsOf(answer, 'data').map((each) => webhookFrom(each, kind)))
      cursor = textOf(answer, 'next')
      if (cursor === null) break
    }
  }
  return found
}

/** What the API says about one of them; null when it was deleted since they were listed, which is nobody's fault. */
export async function callAboutListed(connection: Connection, request: ApiRequest): Promise<unknown> {
  try {
    return await callApi(connection, request)
  } catch (error) {
    if (error instanceof Refused && error.status === 404) return null
    throw error
  }
}

function webhookFrom(value: unknown, kind: WebhookKind): ListedWebhook {
  return {
    id: textOf(value, 'id') ?? '',
    kind,
    url: textOf(value, 'url') ?? '',
    events: itemsOf(value, 'events').filter((each) => typeof each === 'string'),
    facilities: itemsOf(value, 'facilities').filter((each) => typeof each === 'string'),
    isEnabled: textOf(value, 'status') === 'enabled',
  }
}
