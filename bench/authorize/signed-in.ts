import { allowScope } from '../../src/domain/consents/consent-store.ts'
import { startSession } from '../../src/domain/sessions/session-store.ts'
import type { Db } from '../../src/platform/db.ts'
import { newOpaqueSecret } from '../../src/platform/opaque-secret.ts'
import { ACCOUNT_ID, AUDIENCE, CALLBACK, CLIENT_ID } from '../token/application.ts'

/** Browsers in which the person is signed in and has allowed the application, as signing in and consenting leave them. */
export async function ourBrowsers(db: Db, count: number, scope: string): Promise<string[]> {
  await allowScope(db, { userId: ACCOUNT_ID, applicationId: CLIENT_ID, audience: AUDIENCE }, scope.split(' '))
  return Promise.all(
    Array.from({ length: count }, async () => {
      const { cookie } = await startSession(db, ACCOUNT_ID, { userAgent: 'bench', address: '127.0.0.1' })
      return `handover-browser=${newOpaqueSecret()}; handover-session=${cookie}`
    }),
  )
}

/** The same at oidc-provider: each goes through the interaction once and keeps its session cookies. */
export async function peerBrowsers(port: number, count: number, path: string): Promise<string[]> {
  const cookies: string[] = []
  for (let number = 0; number < count; number += 1) cookies.push(await signInAt(`http://127.0.0.1:${port}`, path))
  return cookies
}

async function signInAt(origin: string, path: string): Promise<string> {
  const jar = new Map<string, string>()
  let next = `${origin}${path}`
  for (let hops = 0; hops < 10; hops += 1) {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = await fetch(next, { redirect: 'manual', headers: { cookie } })
    await answer.body?.cancel()
    for (const line of answer.headers.getSetCookie()) {
      const [name = '', value = ''] = (line.split(';', 1)[0] ?? '').split('=', 2)
      jar.set(name, value)
    }
    const location = answer.headers.get('location')
    if (location === null) throw new Error(`oidc-provider answered ${answer.status} at ${new URL(next).pathname}`)
    if (location.startsWith(CALLBACK)) return sessionCookies(jar)
    next = new URL(location, next).href
  }
  throw new Error('oidc-provider redirects in a circle')
}

function sessionCookies(jar: Map<string, string>): string {
  const kept = [...jar].filter(([name]) => name.startsWith('_session'))
  return kept.map(([name, value]) => `${name}=${value}`).join('; ')
}
