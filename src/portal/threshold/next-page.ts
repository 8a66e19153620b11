import { createHmac, timingSafeEqual } from 'node:crypto'
import type { PortalParts } from './parts.ts'
import type { Visit } from './visit.ts'

/** A page of the portal as its address has it, behind /portal. Nothing in it can lead to another place. */
const PAGE = /^(?:\/[\w-]+)+(?:\?[\w.~%=&+:,-]*)?$/
const LONGEST = 1_000

/** Where somebody goes who has to sign in first; a page that they asked for goes along, to be shown afterwards. */
export function signInPath(parts: PortalParts, { request, browser }: Visit): string {
  const path = request.method === 'GET' && request.url.startsWith('/portal/') ? request.url.slice('/portal'.length) : ''
  if (path.length > LONGEST || !PAGE.test(path)) return '/sign-in'
  return `/sign-in?next=${Buffer.from(path).toString('base64url')}.${seal(parts, browser.id, path)}`
}

/** The page that such a value names, if we wrote it for this browser: nobody can be handed a link that leads on to their choice. */
export function readNextPage(parts: PortalParts, { browser }: Visit, value: string): string | null {
  const [encoded = '', sealed = ''] = value.split('.')
  const path = Buffer.from(encoded, 'base64url').toString()
  const expected = Buffer.from(seal(parts, browser.id, path))
  const given = Buffer.from(sealed)
  return given.length === expected.length && timingSafeEqual(given, expected) && PAGE.test(path) ? path : null
}

function seal({ browsers }: PortalParts, browser: string, path: string): string {
  return createHmac('sha256', browsers.csrfKey).update(`next ${browser} ${path}`).digest('base64url')
}
