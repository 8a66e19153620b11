import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Doing } from '../../domain/audit/audit.ts'
import { STAFF, type StaffMember, type StaffSession } from '../../domain/staff/staff.ts'
import { findStaffSession } from '../../domain/staff/staff-session-store.ts'
import type { BrowserWith, SessionKind } from '../../http/browser.ts'
import type { VisitWith } from '../../http/visit.ts'

/** Staff have a cookie of their own, beside those of people and integrators (decision E1). */
export const STAFF_SESSIONS: SessionKind<StaffSession> = {
  cookie: 'handover-support',
  seconds: STAFF.absoluteSeconds,
  find: findStaffSession,
}

export type SupportBrowser = BrowserWith<StaffSession>

export type Visit = VisitWith<StaffSession>

/** What they do, they do as `me`. */
export type AtDesk = Visit & { session: StaffSession; me: StaffMember; doing: Doing }

export function goTo(reply: FastifyReply, path: string): FastifyReply {
  return reply.code(303).header('location', `/support${path}`).send()
}

export function doingOf(member: StaffMember, request: FastifyRequest): Doing {
  return { actor: { kind: 'staff', id: member.id, name: member.email }, requestId: request.id }
}
