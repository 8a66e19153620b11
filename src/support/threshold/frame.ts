import type { FastifyReply } from 'fastify'
import { sendPage } from '../../http/page.ts'
import type { Content } from '../../ui/html.ts'
import { type SupportPlace, supportPage } from '../../ui/support-layout.ts'
import type { AtDesk } from './visit.ts'

/** Answers with a page inside the console's frame. */
export function sendFramed(
  { reply, browser, me, query, request }: AtDesk,
  status: number,
  { title, place, content }: { title: string; place: SupportPlace; content: Content },
): FastifyReply {
  const sought = request.url.startsWith('/support/find') ? (query.get('q') ?? '') : ''
  return sendPage(reply, status, supportPage(title, { csrf: browser.csrf, person: me.name, place, sought }, content))
}
