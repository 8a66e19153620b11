import type { FastifyReply } from 'fastify'
import { type Application, newApplication } from '../../domain/applications/application.ts'
import { MOST_WITH_DELETED } from '../../domain/applications/application-limit-store.ts'
import { readApplicationName } from '../../domain/applications/application-settings.ts'
import { createApplication } from '../../domain/applications/create-application-store.ts'
import { RESTORABLE_DAYS } from '../../domain/applications/delete-application-store.ts'
import { APPLICATION_KINDS, fittingType } from '../../domain/applications/fitting-type.ts'
import { newId } from '../../platform/ids.ts'
import { newOpaqueSecret } from '../../platform/opaque-secret.ts'
import { goDone } from '../threshold/done.ts'
import { sendFramed } from '../threshold/frame.ts'
import { notAllowed, type PortalRoute } from '../threshold/hang-routes.ts'
import { applicationPath, sendInApplication } from '../threshold/in-application.ts'
import type { PortalParts } from '../threshold/parts.ts'
import type { InTeam } from '../threshold/visit.ts'
import { TOO_MANY } from './applications.ts'
import {
  type CreateFaults,
  confirmContent,
  createdContent,
  questionsContent,
  type TypedApplication,
  type YesNo,
} from './create-view.ts'
import { openFormId, sealNewId } from './form-id.ts'
import { newTestPassword } from './test-password.ts'

const TOO_MANY_DELETED = `A team has at most ${MOST_WITH_DELETED} applications with those that were deleted, which go for good after ${RESTORABLE_DAYS} days. Restore one instead.`

const MADE = { prefix: 'app', within: 'applications' } as const

/** What everybody gets who made nothing of it themselves. */
export const FIRST_SECRET = 'First secret'

/** /portal/teams/:team/applications/new: three questions, what they come to, and then the application. */
export function createRoutes(parts: PortalParts): PortalRoute[] {
  const { db, audiences } = parts

  function confirm(visit: InTeam, status: number, answered: Answered, faults: CreateFaults): FastifyReply {
    const { typed, type } = answered
    const made = sealNewId(parts, visit, MADE)
    const content = confirmContent({ csrf: visit.browser.csrf, team: visit.team, typed, faults, type, made })
    return sendFramed(visit, status, { title: 'Create an application', place: 'applications', content })
  }

  async function create(visit: InTeam, answered: Answered): Promise<FastifyReply> {
    const { team, doing, reply } = visit
    const id = openFormId(parts, visit, MADE)
    if (id === null) return confirm(visit, 400, answered, { page: 'That page was too old. Please confirm once more.' })
    const made = await newTestPassword(parts, visit)
    if (made.outcome === 'refused') return confirm(visit, made.status, answered, { page: made.message })
    const { password, passwordHash } = made
    const application = newApplication({ id, name: answered.typed.name, type: answered.type })
    const secret =
      application.tokenEndpointAuthentication === 'none'
        ? null
        : { id: newId('sec'), name: FIRST_SECRET, value: newOpaqueSecret() }
    const sandbox = { audience: audiences.sandbox, passwordHash }
    const created = await createApplication(db, { teamId: team.id, application, secret, sandbox }, doing)
    switch (created.outcome) {
      case 'created': {
        const testPerson = { ...created.testPerson, password }
        const path = `/portal${applicationPath({ team, application })}`
        const content = createdContent({ path, application, secret: secret?.value ?? null, testPerson })
        return sendInApplication({ ...visit, application }, 200, { title: 'Created', place: 'overview', content })
      }
      case 'there-already':
        return goDone(reply, applicationPath({ team, application }), 'made-already')
      case 'too-many':
        return ask(visit, 409, answered.typed, { page: TOO_MANY })
      case 'too-many-deleted':
        return ask(visit, 409, answered.typed, { page: TOO_MANY_DELETED })
      case 'not-allowed':
        throw notAllowed()
    }
  }

  return [
    {
      method: 'GET',
      path: '/teams/:team/applications/new',
      who: 'application.create',
      answer: async (visit) => ask(visit, 200, { name: '', kind: null, backEnd: null, people: null }, {}),
    },
    {
      method: 'POST',
      path: '/teams/:team/applications/new',
      who: 'application.create',
      answer: async (visit) => {
        const step = visit.form.get('step')
        const read = readAnswers(visit)
        if (step === 'change') return ask(visit, 200, read.typed, {})
        if (read.kind === 'faulty') return ask(visit, 400, read.typed, read.faults)
        return step === 'create' ? create(visit, read) : confirm(visit, 200, read, {})
      },
    },
  ]
}

type Answered = { kind: 'answered'; typed: TypedApplication; type: Application['type'] }
type Read = Answered | { kind: 'faulty'; typed: TypedApplication; faults: CreateFaults }

const CHOOSE = 'Choose one.'

function readAnswers({ form }: InTeam): Read {
  const { name, fault } = readApplicationName(form.get('name'))
  const kind = APPLICATION_KINDS.find((each) => each === form.get('kind')) ?? null
  const backEnd = readYesNo(form.get('back_end'))
  const people = readYesNo(form.get('people'))
  const typed = { name, kind, backEnd, people }
  const faults: CreateFaults = {
    ...(fault !== null && { name: fault }),
    ...(kind === null && { kind: CHOOSE }),
    ...(backEnd === null && { back_end: CHOOSE }),
    ...(people === null && { people: CHOOSE }),
  }
  if (kind === null || backEnd === null || people === null) return { kind: 'faulty', typed, faults }
  const fitting = fittingType({ kind, hasBackEnd: backEnd === 'yes', actsForPeople: people === 'yes' })
  switch (fitting.outcome) {
    case 'fits':
      return fault === null ? { kind: 'answered', typed, type: fitting.type } : { kind: 'faulty', typed, faults }
    case 'runs-nowhere':
      return { kind: 'faulty', typed, faults: { ...faults, back_end: RUNS_NOWHERE } }
    case 'nowhere-to-keep-a-secret':
      return { kind: 'faulty', typed, faults: { ...faults, people: NO_SECRET } }
  }
}

const RUNS_NOWHERE =
  'A program without a screen runs on a server, and that is its back end. If it runs on people’s computers, it is an app.'
const NO_SECRET =
  'Who acts for itself proves itself by a secret, and without a back end there is nowhere to keep one. Let people sign in, or give it a back end.'

function readYesNo(typed: string | null): YesNo | null {
  return typed === 'yes' || typed === 'no' ? typed : null
}

function ask(visit: InTeam, status: number, typed: TypedApplication, faults: CreateFaults): FastifyReply {
  const content = questionsContent({ csrf: visit.browser.csrf, team: visit.team, typed, faults })
  return sendFramed(visit, status, { title: 'Create an application', place: 'applications', content })
}
