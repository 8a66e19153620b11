import type { FastifyInstance, FastifyReply } from 'fastify'
import { readProfile, type Typed } from '../../../domain/users/profile.ts'
import { updateProfile } from '../../../domain/users/user-store.ts'
import { sendPage } from '../../../http/page.ts'
import type { PageParts } from '../page-parts.ts'
import { backDone } from './done.ts'
import { ownForm, ownPage, type Visit } from './own-page.ts'
import { type ProfileView, profilePage } from './profile-view.ts'

export function profileRoutes(app: FastifyInstance, parts: PageParts): void {
  app.get(
    '/account/profile',
    ownPage(parts, async (visit) => show(visit, 200, { typed: visit.session.user, faults: {} })),
  )

  app.post(
    '/account/profile',
    ownForm(parts, async (visit, form) => {
      const typed: Typed = {
        name: form.get('name'),
        nickname: form.get('nickname'),
        picture: form.get('picture'),
        phoneNumber: form.get('phone_number'),
        city: form.get('city'),
        state: form.get('state'),
      }
      const read = readProfile(typed)
      if (read.kind === 'faulty') return show(visit, 400, { typed, faults: read.faults })
      await updateProfile(parts.db, visit.session.user.id, read.profile)
      return backDone(visit.reply, 'profile')
    }),
  )
}

function show(
  { reply, browser, session }: Visit,
  status: number,
  { typed, faults }: Pick<ProfileView, 'typed' | 'faults'>,
): FastifyReply {
  return sendPage(reply, status, profilePage({ csrf: browser.csrf, email: session.user.email, typed, faults }))
}
