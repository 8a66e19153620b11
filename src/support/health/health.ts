import { failingHosts } from '../../domain/deliveries/failing-host-store.ts'
import { minuteFigures } from '../../domain/deliveries/minute-figures-store.ts'
import { readQueueFigures } from '../../domain/deliveries/queue-figures-store.ts'
import { listSigningKeys } from '../../domain/keys/signing-key-store.ts'
import { clockSkewSeconds } from '../../platform/clock.ts'
import { databaseFacts } from '../../platform/database-facts.ts'
import { doneNotice } from '../threshold/done.ts'
import { sendFramed } from '../threshold/frame.ts'
import type { SupportRoute } from '../threshold/hang-routes.ts'
import type { SupportParts } from '../threshold/parts.ts'
import { healthContent } from './health-view.ts'

/** /support/health: what signs, what waits and what fails. Each part costs the same however much was ever sent. */
export function healthRoutes({ db, clock, mailer, version }: SupportParts): SupportRoute[] {
  return [
    {
      method: 'GET',
      path: '/health',
      who: 'staff',
      answer: async (visit) => {
        const now = clock()
        const [keys, queue, minutes, hosts, database, skewSeconds] = await Promise.all([
          listSigningKeys(db),
          readQueueFigures(db),
          minuteFigures(db, now),
          failingHosts(db),
          databaseFacts(db),
          clockSkewSeconds(db, clock),
        ])
        const content = healthContent({
          done: doneNotice(visit),
          now,
          keys,
          queue,
          minutes,
          hosts,
          database,
          skewSeconds,
          mail: mailer === null ? 'off' : 'on',
          version,
        })
        return sendFramed(visit, 200, { title: 'Keys and health', place: 'health', content })
      },
    },
  ]
}
