import type { FastifyReply } from 'fastify'
import type { Integrator } from '../../domain/integrators/integrator.ts'
import { startIntegratorReset } from '../../domain/integrators/integrator-reset-store.ts'
import { listIntegratorSessions } from '../../domain/integrators/integrator-session-store.ts'
import {
  endAllSessions,
  endOneSession,
  forceIntegratorReset,
  removeAllPasskeys,
  removeIntegratorFactor,
  unlockIntegrator,
} from '../../domain/support-acts/integrator-acts.ts'
import { notFound } from '../../http/problem.ts'
import { deviceInWords } from '../../ui/device-words.ts'
import { html } from '../../ui/html.ts'
import { passwordEndedMail, secondFactorRemovedMail } from '../../ui/support-mails.ts'
import { type Done, goDone } from '../threshold/done.ts'
import type { SupportRoute } from '../threshold/hang-routes.ts'
import type { SupportParts } from '../threshold/parts.ts'
import type { AtDesk } from '../threshold/visit.ts'
import { given, reasonedRoutes } from '../threshold/with-reason.ts'
import type { Asked } from '../threshold/with-reason-view.ts'
import { requireIntegrator } from './integrator.ts'
import { addressOfIntegrator } from './integrator-view.ts'

const PATH = '/integrators/:integrator'

/** As for people of the marketplace. What the integrator's applications hold is the team's and stays. */
export function integratorActRoutes(parts: SupportParts): SupportRoute[] {
  const { db } = parts
  const find = (visit: AtDesk) => requireIntegrator(db, visit)

  return [
    ...reasonedRoutes({
      path: `${PATH}/end-session`,
      sensitive: false,
      find: async (visit) => {
        const one = await find(visit)
        const session = (await listIntegratorSessions(db, one.id)).find(({ sid }) => sid === given(visit, 'session'))
        if (session === undefined) throw notFound()
        return { one, session }
      },
      ask: ({ one, session }) => ({
        ...of(one),
        title: 'End a session',
        what: html`<p><strong>${deviceInWords(session.userAgent)}</strong> from ${session.address} is signed out of the portal.</p>`,
        button: 'End the session',
        kind: 'primary',
        hidden: { session: session.sid },
      }),
      act: async (visit, { one, session }, act) =>
        back(visit, one, (await endOneSession(db, act, one, session.sid)) ? 'session' : 'nothing'),
    }),
    ...reasonedRoutes({
      path: `${PATH}/end-sessions`,
      sensitive: false,
      find,
      ask: (one) => ({
        ...of(one),
        title: 'End all sessions',
        what: html`<p>They are signed out of the portal in every browser.</p>`,
        button: 'End all sessions',
        kind: 'danger',
      }),
      act: async (visit, one, act) =>
        back(visit, one, (await endAllSessions(db, act, one)) ? 'sessions-ended' : 'nothing'),
    }),
    ...reasonedRoutes({
      path: `${PATH}/unlock`,
      sensitive: false,
      find,
      ask: (one) => ({
        ...of(one),
        title: 'Unlock',
        what: html`<p>Failed attempts at this account are forgotten, at passwords and at one-time codes. Whoever guesses can go on
guessing, too: look at where the failures came from.</p>`,
        button: 'Unlock',
        kind: 'primary',
      }),
      act: async (visit, one, act) => back(visit, one, (await unlockIntegrator(db, act, one)) ? 'unlocked' : 'nothing'),
    }),
    ...reasonedRoutes({
      path: `${PATH}/reset-password`,
      sensitive: true,
      find,
      ask: (one) => ({
        ...of(one),
        title: 'Force a new password',
        what: html`<p>The present password works no more, and every session is ended. Passkeys stay: remove them, too, if somebody
else may have one. ${parts.mailer === null ? html`<strong>No mail can be sent from here</strong>, so that nobody gets a link for a new one.` : html`A link for a new one is mailed to <bdi>${one.email}</bdi>; you do not see it.`}</p>`,
        button: 'Force a new password',
        kind: 'danger',
      }),
      act: async (visit, one, act) => {
        await forceIntegratorReset(db, act, one)
        tellOfReset(parts, one)
        return back(visit, one, parts.mailer === null ? 'new-password-no-mail' : 'new-password')
      },
    }),
    ...reasonedRoutes({
      path: `${PATH}/remove-second-factor`,
      sensitive: true,
      find,
      ask: (one) => ({
        ...of(one),
        title: 'Remove the second factor',
        what: html`<p>From now on the password alone is enough. Do this only when you are sure whom you talk to: who has stolen a
password asks for exactly this.</p>`,
        button: 'Remove the second factor',
        kind: 'danger',
      }),
      act: async (visit, one, act) => {
        const removed = await removeIntegratorFactor(db, act, one)
        if (removed) {
          const mail = secondFactorRemovedMail(one.email, `${parts.authUrl}/portal/reset`)
          parts.afterwards.run('tell of a second factor that is gone', async () => parts.mailer?.send(mail))
        }
        return back(visit, one, removed ? 'factor-removed' : 'nothing')
      },
    }),
    ...reasonedRoutes({
      path: `${PATH}/remove-passkeys`,
      sensitive: true,
      find,
      ask: (one) => ({
        ...of(one),
        title: 'Remove all passkeys',
        what: html`<p>None of their passkeys signs in any more; the password does, with the second factor if there is one.</p>`,
        button: 'Remove all passkeys',
        kind: 'danger',
      }),
      act: async (visit, one, act) =>
        back(visit, one, (await removeAllPasskeys(db, act, one)) ? 'passkeys-removed' : 'nothing'),
    }),
  ]
}

function of(one: Integrator): Pick<Asked, 'back' | 'hint'> {
  return { back: { href: addressOfIntegrator(one.id), name: one.name }, hint: 'Written down with your name.' }
}

function back({ reply }: AtDesk, one: Integrator, done: Done): FastifyReply {
  return goDone(reply, `/integrators/${one.id}`, done)
}

function tellOfReset({ db, mailer, afterwards, authUrl }: SupportParts, one: Integrator): void {
  afterwards.run('send a link for a new password', async () => {
    if (mailer === null) return
    const secret = await startIntegratorReset(db, one.id)
    const link = `${authUrl}/portal/reset/password?${new URLSearchParams({ secret }).toString()}`
    await mailer.send(passwordEndedMail(one.email, link, `${authUrl}/portal/reset`))
  })
}
