import type { FastifyReply } from 'fastify'
import { openRequestsOf, requestsOfApplication } from '../../domain/support-requests/request-list-store.ts'
import type { SupportSetting } from '../../domain/support-requests/setting-definitions.ts'
import { MOST_REQUESTS_A_DAY, readReason } from '../../domain/support-requests/support-request.ts'
import { askSupport, withdrawRequest } from '../../domain/support-requests/support-request-store.ts'
import { firstTexts, readSetting, readWanted, typedTexts } from '../../domain/support-requests/support-setting.ts'
import { may } from '../../domain/teams/team.ts'
import { notFound } from '../../http/problem.ts'
import { doneNotice, goDone } from '../threshold/done.ts'
import { notAllowed, type PortalRoute } from '../threshold/hang-routes.ts'
import { applicationPath, type InApplication, inApplication, sendInApplication } from '../threshold/in-application.ts'
import type { PortalParts } from '../threshold/parts.ts'
import { goTo } from '../threshold/visit.ts'
import { type AskForm, askSupportContent } from './ask-support-view.ts'

const PER_PAGE = 20

/** …/applications/:application/support: what only support may change (decision B7), asking for it, and what became of it. */
export function askSupportRoutes(parts: PortalParts): PortalRoute[] {
  const { db } = parts

  async function show(visit: InApplication, status: number, asking: AskForm | null): Promise<FastifyReply> {
    const { application, team, browser, query } = visit
    const before = /^sup_[0-9a-f]{32}$/.exec(query.get('before') ?? '')?.[0] ?? null
    const [{ requests, older }, open] = await Promise.all([
      requestsOfApplication(db, application.id, { before, limit: PER_PAGE }),
      openRequestsOf(db, application.id),
    ])
    const content = askSupportContent({
      csrf: browser.csrf,
      at: `/portal${applicationPath(visit)}/support`,
      application,
      mayAsk: may(team.role, 'support.ask'),
      mail: parts.mailer !== null,
      done: doneNotice(visit),
      asking,
      requests,
      open: open.map(({ setting }) => setting),
      older,
      isFirstPage: before === null,
    })
    return sendInApplication(visit, status, { title: 'Ask support', place: 'support', content })
  }

  async function ask(visit: InApplication): Promise<FastifyReply> {
    const { application, team, me, form, doing } = visit
    const setting = readSetting(form.get('setting'))
    if (setting === null) return goTo(visit.reply, `${applicationPath(visit)}/support`)
    const texts = wantedTexts(visit, setting)
    const { wanted, faults } = readWanted(setting, texts)
    const { text: reason, fault } = readReason(form.get('reason'), 'Say why you need it.')
    const refuse = (status: number, found: AskForm['faults']) =>
      show(visit, status, { setting, texts, reason: form.get('reason') ?? '', faults: found })
    const found = { ...faults, ...(fault !== null && { reason: fault }) }
    if (Object.keys(found).length > 0) return refuse(400, found)
    const request = { teamId: team.id, applicationId: application.id, askedBy: me.id, setting, wanted, reason }
    const asked = await askSupport(db, request, doing)
    switch (asked.outcome) {
      case 'asked':
        return goDone(visit.reply, `${applicationPath(visit)}/support`, 'support-asked')
      case 'open-already':
        return refuse(409, { page: 'Support has a request about this already. Withdraw it to ask for something else.' })
      case 'nothing-to-change':
        return refuse(400, { page: 'That is how it is at present. Ask for another value.' })
      case 'too-many':
        return refuse(429, { page: `${MOST_REQUESTS_A_DAY} requests a day are the most. Go on tomorrow.` })
      case 'no-application':
        throw notFound()
      case 'not-allowed':
        throw notAllowed()
    }
  }

  return [
    {
      method: 'GET',
      path: '/teams/:team/applications/:application/support',
      who: 'application.see',
      answer: inApplication(parts, async (visit) => show(visit, 200, chosen(visit))),
    },
    {
      method: 'POST',
      path: '/teams/:team/applications/:application/support',
      who: 'support.ask',
      answer: inApplication(parts, ask),
    },
    {
      method: 'POST',
      path: '/teams/:team/applications/:application/support/withdraw',
      who: 'support.ask',
      answer: inApplication(parts, async (visit) => {
        const { application, team, me, form, doing, reply } = visit
        const request = {
          teamId: team.id,
          applicationId: application.id,
          id: form.get('request') ?? '',
          askedBy: me.id,
        }
        const gone = await withdrawRequest(db, request, doing)
        const path = `${applicationPath(visit)}/support`
        return gone ? goDone(reply, path, 'support-withdrawn') : goTo(reply, path)
      }),
    },
  ]
}

/** The setting that the address names, for whoever may ask. */
function chosen({ query, team, application }: InApplication): AskForm | null {
  const setting = readSetting(query.get('setting'))
  if (setting === null || !may(team.role, 'support.ask')) return null
  if (setting === 'suspension' && !application.suspended) return null
  return { setting, texts: firstTexts(setting, application), reason: '', faults: {} }
}

/** Nobody asks to be suspended. */
function wantedTexts({ form }: InApplication, setting: SupportSetting): Record<string, string> {
  return setting === 'suspension' ? { suspended: 'active' } : typedTexts(setting, form.get)
}
