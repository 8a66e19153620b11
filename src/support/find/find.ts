import type { Hit } from '../../domain/lookup/hit.ts'
import { lookUp } from '../../domain/lookup/lookup-store.ts'
import { requestsWithId } from '../../domain/requests/request-log-store.ts'
import { sendFramed } from '../threshold/frame.ts'
import type { SupportRoute } from '../threshold/hang-routes.ts'
import type { SupportParts } from '../threshold/parts.ts'
import { goTo } from '../threshold/visit.ts'
import { findContent } from './find-view.ts'
import { pageOf } from './hit-page.ts'

const LONGEST = 320

/** /support/find: one box for whatever somebody reads out. What only one thing goes by leads straight to its page. */
export function findRoutes({ db }: SupportParts): SupportRoute[] {
  return [
    {
      method: 'GET',
      path: '/find',
      who: 'staff',
      answer: async (visit) => {
        const sought = (visit.query.get('q') ?? '').trim().slice(0, LONGEST)
        const [hits, logged] =
          sought === '' ? [[], []] : await Promise.all([lookUp(db, sought), requestsWithId(db, sought, null)])
        const straight = logged.length === 0 ? onlyExact(hits) : null
        if (straight !== null) return goTo(visit.reply, straight)
        const content = findContent({ sought, hits, logged })
        return sendFramed(visit, 200, { title: 'Find', place: null, content })
      },
    },
  ]
}

function onlyExact(hits: readonly Hit[]): string | null {
  const [exact, ...others] = hits.filter((hit) => hit.exact)
  return exact === undefined || others.length > 0 ? null : pageOf(exact)
}
