import { auditAbout } from '../../domain/audit/audit-about-store.ts'
import { connectedApplications } from '../../domain/consents/consent-store.ts'
import { facilitiesToChoose } from '../../domain/facilities/facility-name-store.ts'
import { readFailures } from '../../domain/limits/lock-store.ts'
import { listSessions } from '../../domain/sessions/session-store.ts'
import { throttledPerson } from '../../domain/support-acts/person-acts.ts'
import { heldTokensOf } from '../../domain/tokens/family-list-store.ts'
import type { Person } from '../../domain/users/person.ts'
import { personFacts } from '../../domain/users/person-facts-store.ts'
import { findPeople } from '../../domain/users/person-upsert-store.ts'
import { findTotp } from '../../domain/users/totp-store.ts'
import { parameterOf } from '../../http/path-parameter.ts'
import { notFound } from '../../http/problem.ts'
import type { Db } from '../../platform/db.ts'
import { doneNotice } from '../threshold/done.ts'
import { sendFramed } from '../threshold/frame.ts'
import type { SupportRoute } from '../threshold/hang-routes.ts'
import type { SupportParts } from '../threshold/parts.ts'
import type { AtDesk } from '../threshold/visit.ts'
import { userContent } from './user-view.ts'

const LATEST = 20
const PLACES = 10

/** /support/users/:user: a person of the marketplace, as far as support may know them. Never a password. */
export function userRoutes({ db }: SupportParts): SupportRoute[] {
  return [
    {
      method: 'GET',
      path: '/users/:user',
      who: 'staff',
      answer: async (visit) => {
        const person = await requireUser(db, visit)
        const { id } = person
        const [facts, totp, sessions, failures, applications, tokens, places, acts] = await Promise.all([
          personFacts(db, id),
          findTotp(db, id),
          listSessions(db, id),
          readFailures(db, throttledPerson(person)),
          connectedApplications(db, id),
          heldTokensOf(db, id),
          placesOf(db, id),
          auditAbout(db, id, LATEST),
        ])
        const done = doneNotice(visit)
        const view = { done, person, facts, totp, sessions, failures, applications, tokens, places, acts }
        return sendFramed(visit, 200, { title: person.name, place: null, content: userContent(view) })
      },
    },
  ]
}

/** Blocked people, too. */
export async function requireUser(db: Db, { request }: AtDesk): Promise<Person> {
  const id = parameterOf(request, 'user')
  const person = (await findPeople(db, [id])).get(id)
  if (person === undefined) throw notFound()
  return person
}

function placesOf(db: Db, userId: string) {
  return Promise.all(
    (['production', 'sandbox'] as const).map(async (environment) => ({
      environment,
      ...(await facilitiesToChoose(db, { environment, applicationId: '', userId }, PLACES)),
    })),
  )
}
