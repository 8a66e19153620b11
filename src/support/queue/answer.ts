import type { FastifyReply } from 'fastify'
import { answerRequest } from '../../domain/support-requests/answer-store.ts'
import { findRequest } from '../../domain/support-requests/request-list-store.ts'
import { DEFINITIONS } from '../../domain/support-requests/setting-definitions.ts'
import { readReason } from '../../domain/support-requests/support-request.ts'
import { parameterOf } from '../../http/path-parameter.ts'
import { notFound } from '../../http/problem.ts'
import { requestAnsweredMail } from '../../ui/support-mails.ts'
import { goDone } from '../threshold/done.ts'
import { sendFramed } from '../threshold/frame.ts'
import type { SupportRoute } from '../threshold/hang-routes.ts'
import type { SupportParts } from '../threshold/parts.ts'
import type { AtDesk } from '../threshold/visit.ts'
import { type AnswerFaults, answerContent } from './answer-view.ts'
import { withFacts } from './queue.ts'

/** /support/requests/:request: approved or denied, with a note. What is approved holds at once, and whoever asked is told. */
export function answerRoutes(parts: SupportParts): SupportRoute[] {
  const { db } = parts

  async function show(visit: AtDesk, status: number, note: string, faults: AnswerFaults): Promise<FastifyReply> {
    const found = await findRequest(db, parameterOf(visit.request, 'request'))
    const [request] = found === null ? [] : await withFacts(db, [found])
    if (request === undefined) throw notFound()
    const content = answerContent({ csrf: visit.browser.csrf, request, note, faults, now: parts.clock() })
    return sendFramed(visit, status, { title: DEFINITIONS[request.setting].label, place: 'queue', content })
  }

  /** Why something is denied must be said; why it is approved may be. */
  async function answer(visit: AtDesk, verdict: 'approved' | 'denied'): Promise<FastifyReply> {
    const typed = visit.form.get('note')
    const { text, fault } = readReason(typed, 'Say why, so that they know what to change.')
    const mayBeEmpty = verdict === 'approved' && text === ''
    if (fault !== null && !mayBeEmpty) return show(visit, 400, typed ?? '', { note: fault })
    const id = parameterOf(visit.request, 'request')
    const given = { id, verdict, answer: text === '' ? null : text, by: visit.me.email }
    const answered = await answerRequest(db, given, visit.doing)
    switch (answered.outcome) {
      case 'unknown':
      case 'no-application':
        throw notFound()
      case 'not-open':
        return show(visit, 409, typed ?? '', { page: 'Somebody answered it before you, or it was withdrawn.' })
      case 'done': {
        const { asker, teamId, applicationId, setting } = answered
        const link = `${parts.authUrl}/portal/teams/${teamId}/applications/${applicationId}/support`
        if (asker !== null) {
          const mail = requestAnsweredMail(asker, { setting: DEFINITIONS[setting].label, verdict, link })
          parts.afterwards.run('tell of an answer of support', async () => parts.mailer?.send(mail))
        }
        return goDone(visit.reply, '', verdict)
      }
    }
  }

  return [
    { method: 'GET', path: '/requests/:request', who: 'staff', answer: (visit) => show(visit, 200, '', {}) },
    { method: 'POST', path: '/requests/:request/approve', who: 'staff', answer: (visit) => answer(visit, 'approved') },
    { method: 'POST', path: '/requests/:request/deny', who: 'staff', answer: (visit) => answer(visit, 'denied') },
  ]
}
