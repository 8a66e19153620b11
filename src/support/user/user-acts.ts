import type { FastifyReply } from 'fastify'
import { findApplication } from '../../domain/applications/application-store.ts'
import { startReset } from '../../domain/sessions/password-reset-store.ts'
import { listSessions } from '../../domain/sessions/session-store.ts'
import {
  endPersonSession,
  endPersonSessions,
  forceNewPassword,
  removeSecondFactor,
  unlockPerson,
  withdrawAccess,
} from '../../domain/support-acts/person-acts.ts'
import type { Person } from '../../domain/users/person.ts'
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
import { requireUser } from './user.ts'
import { addressOfUser } from './user-view.ts'

const PATH = '/users/:user'

/** What support does to the account of a person, each on a page of its own that says what will happen. */
export function userActRoutes(parts: SupportParts): SupportRoute[] {
  const { db } = parts
  const find = (visit: AtDesk) => requireUser(db, visit)

  return [
    ...reasonedRoutes({
      path: `${PATH}/end-session`,
      sensitive: false,
      find: async (visit) => {
        const person = await find(visit)
        const session = (await listSessions(db, person.id)).find(({ sid }) => sid === given(visit, 'session'))
        if (session === undefined) throw notFound()
        return { person, session }
      },
      ask: ({ person, session }) => ({
        ...of(person),
        title: 'End a session',
        what: html`<p><strong>${deviceInWords(session.userAgent)}</strong> from ${session.address} is signed out. What applications
hold stays.</p>`,
        button: 'End the session',
        kind: 'primary',
        hidden: { session: session.sid },
      }),
      act: async (visit, { person, session }, act) =>
        back(visit, person, (await endPersonSession(db, act, person, session.sid)) ? 'session' : 'nothing'),
    }),
    ...reasonedRoutes({
      path: `${PATH}/end-sessions`,
      sensitive: false,
      find,
      ask: (person) => ({
        ...of(person),
        title: 'End all sessions',
        what: html`<p>They are signed out in every browser. What applications hold stays.</p>`,
        button: 'End all sessions',
        kind: 'danger',
      }),
      act: async (visit, person, act) =>
        back(visit, person, (await endPersonSessions(db, act, person)) ? 'sessions-ended' : 'nothing'),
    }),
    ...reasonedRoutes({
      path: `${PATH}/withdraw`,
      sensitive: false,
      find: async (visit) => {
        const person = await find(visit)
        const application = await findApplication(db, given(visit, 'application'))
        if (application === null) throw notFound()
        return { person, application }
      },
      ask: ({ person, application }) => ({
        ...of(person),
        title: 'Withdraw access',
        what: html`<p><strong><bdi>${application.name}</bdi></strong> loses everything it holds of this person: consent, codes,
refresh tokens and, within a second, access tokens. It has to ask again.</p>`,
        button: 'Withdraw access',
        kind: 'danger',
        hidden: { application: application.id },
      }),
      act: async (visit, { person, application }, act) => {
        await withdrawAccess(db, act, person, application.id)
        return back(visit, person, 'withdrawn')
      },
    }),
    ...reasonedRoutes({
      path: `${PATH}/unlock`,
      sensitive: false,
      find,
      ask: (person) => ({
        ...of(person),
        title: 'Unlock',
        what: html`<p>Failed attempts at this account are forgotten, at passwords and at one-time codes, so that its owner can sign
in at once. Whoever guesses can go on guessing, too: look at where the failures came from.</p>`,
        button: 'Unlock',
        kind: 'primary',
      }),
      act: async (visit, person, act) =>
        back(visit, person, (await unlockPerson(db, act, person)) ? 'unlocked' : 'nothing'),
    }),
    ...reasonedRoutes({
      path: `${PATH}/reset-password`,
      sensitive: true,
      find,
      ask: (person) => ({
        ...of(person),
        title: 'Force a new password',
        what: html`<p>The present password works no more. Every session is ended, and every application loses its tokens.
${parts.mailer === null ? html`<strong>No mail can be sent from here</strong>, so that nobody gets a link for a new one.` : html`A link for a new one is mailed to <bdi>${person.email}</bdi>; you do not see it.`}</p>`,
        button: 'Force a new password',
        kind: 'danger',
      }),
      act: async (visit, person, act) => {
        if (!(await forceNewPassword(db, act, person))) throw notFound()
        tellOfReset(parts, person)
        return back(visit, person, parts.mailer === null ? 'new-password-no-mail' : 'new-password')
      },
    }),
    ...reasonedRoutes({
      path: `${PATH}/remove-second-factor`,
      sensitive: true,
      find,
      ask: (person) => ({
        ...of(person),
        title: 'Remove the second factor',
        what: html`<p>From now on the password alone is enough. Do this only when you are sure whom you talk to: who has stolen a
password asks for exactly this.</p>`,
        button: 'Remove the second factor',
        kind: 'danger',
      }),
      act: async (visit, person, act) => {
        const removed = await removeSecondFactor(db, act, person)
        if (removed) {
          const mail = secondFactorRemovedMail(person.email, `${parts.authUrl}/oidc/reset`)
          parts.afterwards.run('tell of a second factor that is gone', async () => parts.mailer?.send(mail))
        }
        return back(visit, person, removed ? 'factor-removed' : 'nothing')
      },
    }),
  ]
}

function of(person: Person): Pick<Asked, 'back' | 'hint'> {
  return { back: { href: addressOfUser(person.id), name: person.name }, hint: 'Written down with your name.' }
}

function back({ reply }: AtDesk, person: Person, done: Done): FastifyReply {
  return goDone(reply, addressOfUser(person.id).slice('/support'.length), done)
}

/** To the address that is stored by then; somebody blocked gets none. The link is in the mail alone. */
function tellOfReset({ db, mailer, afterwards, authUrl }: SupportParts, person: Person): void {
  afterwards.run('send a link for a new password', async () => {
    const secret = mailer && (await startReset(db, person))
    if (secret === null) return
    const link = `${authUrl}/oidc/reset/password?${new URLSearchParams({ secret }).toString()}`
    await mailer?.send(passwordEndedMail(person.email, link, `${authUrl}/oidc/reset`))
  })
}
