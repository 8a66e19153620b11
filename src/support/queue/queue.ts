import { findApplication } from '../../domain/applications/application-store.ts'
import { countRequests } from '../../domain/requests/request-count-store.ts'
import { requestQueue } from '../../domain/support-requests/request-list-store.ts'
import type { QueuedRequest, RequestState } from '../../domain/support-requests/support-request.ts'
import { settingInWords } from '../../domain/support-requests/support-setting.ts'
import type { Db } from '../../platform/db.ts'
import { doneNotice } from '../threshold/done.ts'
import { sendFramed } from '../threshold/frame.ts'
import type { SupportRoute } from '../threshold/hang-routes.ts'
import type { SupportParts } from '../threshold/parts.ts'
import { queueContent, type ShownRequest } from './queue-view.ts'

const PER_PAGE = 20
const SHOWN_STATES = ['open', 'approved', 'denied'] as const satisfies RequestState[]

/** /support: what waits for an answer, the longest waiting first; and what was answered. */
export function queueRoutes({ db, clock }: SupportParts): SupportRoute[] {
  return [
    {
      method: 'GET',
      path: '',
      who: 'staff',
      answer: async (visit) => {
        const { query } = visit
        const state = SHOWN_STATES.find((known) => known === query.get('state')) ?? 'open'
        const after = /^sup_[0-9a-f]{32}$/.exec(query.get('after') ?? '')?.[0] ?? null
        const { requests, next } = await requestQueue(db, { state, after, limit: PER_PAGE })
        const content = queueContent({
          done: doneNotice(visit),
          state,
          requests: await withFacts(db, requests),
          next,
          isFirstPage: after === null,
          now: clock(),
        })
        return sendFramed(visit, 200, { title: 'Requests', place: 'queue', content })
      },
    },
  ]
}

/** What an agent needs to see beside the request: how it is now, and whether the application is in use at all. */
export async function withFacts(db: Db, requests: readonly QueuedRequest[]): Promise<ShownRequest[]> {
  const ids = [...new Set(requests.map(({ applicationId }) => applicationId))]
  const [counts, applications] = await Promise.all([
    countRequests(db, ids),
    Promise.all(ids.map((id) => findApplication(db, id))),
  ])
  return requests.flatMap((request) => {
    const application = applications.find((each) => each?.id === request.applicationId)
    // Deleted a moment ago: its requests wait with it.
    if (!application) return []
    const { setting, wanted } = request
    return {
      ...request,
      present: settingInWords(setting, application),
      asked: settingInWords(setting, { ...application, ...wanted }),
      suspended: application.suspended,
      lastWeek: counts.get(request.applicationId) ?? { all: 0, refused: 0 },
    }
  })
}
