import type { FastifyReply } from 'fastify'
import {
  type ApplicationSettings,
  readSettings,
  type SettingsFaults,
  type TypedSettings,
  typedSettings,
} from '../../domain/applications/application-settings.ts'
import { saveSettings } from '../../domain/applications/settings-store.ts'
import type { Form } from '../../http/form.ts'
import { notFound } from '../../http/problem.ts'
import { doneNotice, goDone } from '../threshold/done.ts'
import type { PortalRoute } from '../threshold/hang-routes.ts'
import { applicationPath, type InApplication, inApplication, sendInApplication } from '../threshold/in-application.ts'
import type { PortalParts } from '../threshold/parts.ts'
import { settingsContent } from './settings-view.ts'

/** …/settings: what an integrator sets by themselves (decision B7). */
export function settingsRoutes(parts: PortalParts): PortalRoute[] {
  const { db } = parts

  async function save(visit: InApplication): Promise<FastifyReply> {
    const { team, application, form, doing, reply } = visit
    const typed = typedIn(form, application)
    const read = readSettings(application.type, typed)
    if (read.kind === 'faulty') return show(visit, 400, typed, read.faults)
    const saved = {
      teamId: team.id,
      applicationId: application.id,
      mark: form.get('mark') ?? '',
      settings: read.settings,
    }
    const outcome = await saveSettings(db, saved, doing)
    switch (outcome.outcome) {
      case 'saved':
        return goDone(reply, `${applicationPath(visit)}/settings`, 'settings')
      case 'changed-meanwhile':
        return show({ ...visit, application: outcome.application }, 409, typed, {}, outcome.application)
      case 'unknown':
        throw notFound()
    }
  }

  const path = '/teams/:team/applications/:application/settings'
  return [
    {
      method: 'GET',
      path,
      who: 'application.see',
      answer: inApplication(parts, async (visit) => show(visit, 200, typedSettings(visit.application))),
    },
    { method: 'POST', path, who: 'application.change', answer: inApplication(parts, save) },
  ]
}

/** Where nobody signs in, the form asks only for what everybody has, and the rest stays. */
function typedIn(form: Form, application: InApplication['application']): TypedSettings {
  const everybodys = { name: form.get('name') ?? '', logoUrl: form.get('logoUrl') ?? '' }
  if (application.type === 'machine') return { ...typedSettings(application), ...everybodys }
  return {
    ...everybodys,
    redirectUris: form.get('redirectUris') ?? '',
    webOrigins: form.get('webOrigins') ?? '',
    implicit: form.get('implicit') === 'on',
    idTokenAlgorithm: form.get('idTokenAlgorithm') ?? '',
    strictOidc: form.get('strictOidc') === 'on',
  }
}

function show(
  visit: InApplication,
  status: number,
  typed: TypedSettings,
  faults: SettingsFaults = {},
  meanwhile: ApplicationSettings | null = null,
): FastifyReply {
  const { team, application, browser } = visit
  const content = settingsContent({
    csrf: browser.csrf,
    path: `/portal${applicationPath(visit)}`,
    team,
    application,
    done: doneNotice(visit),
    typed,
    faults,
    meanwhile,
  })
  return sendInApplication(visit, status, { title: 'Settings', place: 'settings', content })
}
