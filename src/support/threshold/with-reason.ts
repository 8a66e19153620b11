import type { FastifyReply } from 'fastify'
import type { SupportAct } from '../../domain/support-acts/support-act.ts'
import { readReason } from '../../domain/support-requests/support-request.ts'
import { sendFramed } from './frame.ts'
import type { SupportRoute } from './hang-routes.ts'
import type { AtDesk } from './visit.ts'
import { type Asked, reasonContent } from './with-reason-view.ts'

type Faults = Readonly<Record<string, string | undefined>>

/** Shows the page again, with what is wrong and everything that was typed. */
export type AskOnceMore = (status: number, faults: Faults) => FastifyReply

/** Something that staff do to what is not theirs: never without a reason, and never before they read what will happen. */
export type ReasonedAct<Subject> = {
  /** Under /support; names what it is about. */
  path: string
  sensitive: boolean
  /** Throws what is answered when there is nothing of the kind. */
  find: (visit: AtDesk) => Promise<Subject>
  ask: (subject: Subject, visit: AtDesk, faults: Faults) => Asked
  act: (visit: AtDesk, subject: Subject, act: SupportAct, again: AskOnceMore) => Promise<FastifyReply>
}

/** The page that asks for the reason, and the form that it sends to the same address. */
export function reasonedRoutes<Subject>({ path, sensitive, find, ask, act }: ReasonedAct<Subject>): SupportRoute[] {
  function show(visit: AtDesk, subject: Subject, status: number, faults: Faults): FastifyReply {
    const { browser, form, request } = visit
    const asked = ask(subject, visit, faults)
    const action = request.url.split('?', 1)[0] ?? ''
    const reason = form.get('reason') ?? ''
    const content = reasonContent({ action, csrf: browser.csrf, asked, reason, faults })
    return sendFramed(visit, status, { title: asked.title, place: null, content })
  }

  async function answer(visit: AtDesk): Promise<FastifyReply> {
    const subject = await find(visit)
    const again: AskOnceMore = (status, faults) => show(visit, subject, status, faults)
    const { text: reason, fault } = readReason(visit.form.get('reason'), 'Say why. It is written down.')
    if (fault !== null) return again(400, { reason: fault })
    return act(visit, subject, { ...visit.doing, reason }, again)
  }

  return [
    { method: 'GET', path, who: 'staff', answer: async (visit) => show(visit, await find(visit), 200, {}) },
    sensitive
      ? { method: 'POST', path, who: 'staff-sensitive', answer }
      : { method: 'POST', path, who: 'staff', answer },
  ]
}

/** Which of several is meant: in the address of the page, and in the form that it sends. */
export function given({ form, query }: AtDesk, name: string): string {
  return form.get(name) ?? query.get(name) ?? ''
}
