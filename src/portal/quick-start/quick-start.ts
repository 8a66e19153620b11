import type { PortalRoute } from '../threshold/hang-routes.ts'
import { applicationPath, inApplication, sendInApplication } from '../threshold/in-application.ts'
import type { PortalParts } from '../threshold/parts.ts'
import { quickStartContent } from './quick-start-view.ts'
import { quickValues } from './values.ts'

/** …/applications/:application/quick-start: lines to paste, with the application's own values in them and never its secret. */
export function quickStartRoutes(parts: PortalParts): PortalRoute[] {
  return [
    {
      method: 'GET',
      path: '/teams/:team/applications/:application/quick-start',
      who: 'application.see',
      answer: inApplication(parts, async (visit) => {
        const content = quickStartContent(quickValues(visit.application, parts), `/portal${applicationPath(visit)}`)
        return sendInApplication(visit, 200, { title: 'Quick start', place: 'quick-start', content })
      }),
    },
  ]
}
