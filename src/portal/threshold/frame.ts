import type { FastifyReply } from 'fastify'
import { sendPage } from '../../http/page.ts'
import type { Content } from '../../ui/html.ts'
import { type PortalPlace, portalPage } from '../../ui/portal-layout.ts'
import type { SignedIn } from './visit.ts'

/** The team of the page, or else the one that was opened last. */
export function teamToShow({ session, teams, ...visit }: SignedIn & { team?: { id: string; name: string } }) {
  return visit.team ?? teams.find(({ id }) => id === session.teamId) ?? teams[0] ?? null
}

/** Answers with a page inside the portal's frame. */
export function sendFramed(
  visit: SignedIn & { team?: { id: string; name: string } },
  status: number,
  { title, place, content }: { title: string; place: PortalPlace; content: Content },
): FastifyReply {
  const { browser, me, teams } = visit
  const frame = { csrf: browser.csrf, person: me.name, team: teamToShow(visit), teams, place }
  return sendPage(visit.reply, status, portalPage(title, frame, content))
}
