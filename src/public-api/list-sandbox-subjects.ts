import { Type } from 'typebox'
import { peopleWhoAllowed } from '../domain/consents/consent-store.ts'
import { visibleFacilities } from '../domain/facilities/visible-facility-store.ts'
import { type ApiOperation, viewerOf } from './api-call.ts'
import { sandboxOnly } from './sandbox-only.ts'

const MOST = 100

/** GET /sandbox/subjects: whom POST /sandbox/events takes an event about. */
export const listSandboxSubjects: ApiOperation = {
  method: 'GET',
  path: '/sandbox/subjects',
  id: 'listSandboxSubjects',
  tag: 'Sandbox',
  summary: 'List what events can be made about',
  description:
    'In sandbox only. The facilities and people that an event can be made to happen at or about: for a client_credentials token the facilities that are connected to the application and the people who have allowed it, for a token of a person that person and the facilities they have access to. At most 100 of each.',
  answers: {
    200: {
      description: 'Ids, for `facilityId` and `userId` of an event.',
      schema: Type.Object({
        data: Type.Object({ facilities: Type.Array(Type.String()), users: Type.Array(Type.String()) }),
      }),
      example: { data: { facilities: ['fac_riverside'], users: ['usr_ann'] } },
    },
  },
  problems: ['sandbox_only'],
  run: async ({ db, caller, audiences }) => {
    const { application, environment, userId } = caller
    if (environment !== 'sandbox') throw sandboxOnly('Events can be made up')
    const facilities = await visibleFacilities(db, viewerOf(caller))
    const users = userId === null ? await peopleWhoAllowed(db, application.id, audiences[environment], MOST) : [userId]
    return { status: 200, body: { data: { facilities: facilities.slice(0, MOST), users } } }
  },
}
