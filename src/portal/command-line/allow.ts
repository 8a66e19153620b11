import type { FastifyReply } from 'fastify'
import { MOST_APPLICATIONS } from '../../domain/applications/application-limit-store.ts'
import { applicationsOfTeam, findTeamApplication } from '../../domain/applications/team-application-store.ts'
import { MOST_KEYS } from '../../domain/command-line/command-line-key.ts'
import { keysOf } from '../../domain/command-line/command-line-key-store.ts'
import { type CommandLineLogin, readUserCode } from '../../domain/command-line/command-line-login.ts'
import { answerLogin, findWaitingLogin } from '../../domain/command-line/command-line-login-store.ts'
import { userCodeLimits } from '../../domain/limits/command-line-limits.ts'
import { countAttempt, forgive } from '../../domain/limits/failure-store.ts'
import { may } from '../../domain/teams/team.ts'
import { goDone } from '../threshold/done.ts'
import { sendFramed } from '../threshold/frame.ts'
import type { PortalRoute } from '../threshold/hang-routes.ts'
import type { PortalParts } from '../threshold/parts.ts'
import type { InTeam } from '../threshold/visit.ts'
import { allowContent, askCodeContent } from './allow-view.ts'

type NotFound = { status: number; fault: string | null }
type Found = { login: CommandLineLogin } | NotFound

const NOTHING_WAITS =
  'No login waits for this code. It may have expired: it is good for ten minutes and for one answer.'

/** /portal/teams/:team/command-line: a member allows `handover login` one application of the team (decision record 83). */
export function allowRoutes({ db }: PortalParts): PortalRoute[] {
  /** Who tries codes is stopped soon; one that waits is no failure. */
  async function find({ me }: InTeam, typed: string): Promise<Found> {
    if (typed.trim() === '') return { status: 200, fault: null }
    const code = readUserCode(typed)
    if (code === null) return { status: 400, fault: 'A code is eight letters, such as WDJB-MJHT.' }
    const limits = userCodeLimits(me.id)
    const counted = await countAttempt(db, limits)
    if (!counted.allowed)
      return { status: 429, fault: 'Too many codes that nobody waits for. Try again in a quarter of an hour.' }
    const login = await findWaitingLogin(db, code)
    if (login === null) return { status: 400, fault: NOTHING_WAITS }
    await forgive(db, limits, [])
    return { login }
  }

  async function show(visit: InTeam, typed: string): Promise<FastifyReply> {
    const found = await find(visit, typed)
    return 'login' in found ? showLogin(visit, 200, found.login) : askCode(visit, typed, found)
  }

  async function showLogin(
    visit: InTeam,
    status: number,
    login: CommandLineLogin,
    faults: { application?: string } = {},
  ): Promise<FastifyReply> {
    const { team, teams, browser } = visit
    const { applications } = await applicationsOfTeam(db, team.id, { before: null, limit: MOST_APPLICATIONS })
    const content = allowContent({
      csrf: browser.csrf,
      at: pathOf(visit),
      login,
      team,
      otherTeams: teams.filter(({ id, role }) => id !== team.id && may(role, 'key.change')),
      applications: applications.filter(({ suspended }) => !suspended),
      chosen: visit.form.get('application'),
      faults,
    })
    return sendFramed(visit, status, { title: 'Allow a command line', place: null, content })
  }

  async function answer(visit: InTeam): Promise<FastifyReply> {
    const { form, me, team, reply } = visit
    const typed = form.get('code') ?? ''
    // Looked for as when it is shown, so that answering is no way to try codes without being counted.
    const found = await find(visit, typed)
    if (!('login' in found)) return askCode(visit, typed, found)
    const { login } = found
    if (form.get('decision') !== 'allow') {
      const denied = await answerLogin(db, login.userCode, { allowed: false, integratorId: me.id, teamId: team.id })
      return denied ? goDone(reply, `/teams/${team.id}/applications`, 'login-denied') : show(visit, typed)
    }
    const application = await findTeamApplication(db, team.id, form.get('application') ?? '')
    if (application === null) return showLogin(visit, 400, login, { application: 'Choose an application.' })
    const fault = await whyNot(application)
    if (fault !== null) return showLogin(visit, 409, login, { application: fault })
    const chosen = { allowed: true as const, integratorId: me.id, teamId: team.id, applicationId: application.id }
    return (await answerLogin(db, login.userCode, chosen))
      ? goDone(reply, `/teams/${team.id}/applications/${application.id}/command-line`, 'login-allowed')
      : show(visit, typed)
  }

  async function whyNot(application: {
    id: string
    suspended: boolean
    environments: readonly string[]
  }): Promise<string | null> {
    if (application.suspended) return 'This application is suspended by support.'
    if (!application.environments.includes('sandbox')) return 'This application may not use the sandbox.'
    const keys = await keysOf(db, application.id)
    return keys.length < MOST_KEYS
      ? null
      : `This application has ${MOST_KEYS} logins already. Revoke one of them first.`
  }

  const path = '/teams/:team/command-line'
  return [
    { method: 'GET', path, who: 'key.change', answer: (visit) => show(visit, visit.query.get('code') ?? '') },
    { method: 'POST', path, who: 'key.change', answer },
  ]
}

function askCode(visit: InTeam, typed: string, { status, fault }: NotFound): FastifyReply {
  const content = askCodeContent({ at: pathOf(visit), typed, fault })
  return sendFramed(visit, status, { title: 'Command line', place: null, content })
}

function pathOf({ team }: InTeam): string {
  return `/portal/teams/${team.id}/command-line`
}
