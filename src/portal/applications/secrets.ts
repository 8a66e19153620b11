import type { FastifyReply } from 'fastify'
import { addSecret, revokeSecret, secretsOf } from '../../domain/applications/client-secret-store.ts'
import { textFault, tidy } from '../../domain/plain-text.ts'
import { parameterOf } from '../../http/path-parameter.ts'
import { notFound } from '../../http/problem.ts'
import { newOpaqueSecret } from '../../platform/opaque-secret.ts'
import { doneNotice, goDone } from '../threshold/done.ts'
import type { PortalRoute } from '../threshold/hang-routes.ts'
import { applicationPath, type InApplication, inApplication, sendInApplication } from '../threshold/in-application.ts'
import type { PortalParts } from '../threshold/parts.ts'
import { type FormId, openFormId, sealNewId } from './form-id.ts'
import {
  LONGEST_SECRET_NAME,
  revokeContent,
  type SecretsView,
  secretMadeContent,
  secretsContent,
} from './secrets-view.ts'

const TWO_ALREADY = 'Two secrets work already, which is the most. Revoke the one that is no longer used first.'

/** …/secrets: at most two that work, each shown once (decision B7). */
export function secretsRoutes(parts: PortalParts): PortalRoute[] {
  const { db, clock } = parts

  async function show(
    visit: InApplication,
    status: number,
    typedName = '',
    faults: SecretsView['faults'] = {},
  ): Promise<FastifyReply> {
    const { team, application, browser } = visit
    const content = secretsContent({
      csrf: browser.csrf,
      path: `/portal${applicationPath(visit)}`,
      team,
      application,
      done: doneNotice(visit),
      secrets: await secretsOf(db, application.id),
      made: sealNewId(parts, visit, madeIn(visit)),
      now: clock(),
      typedName,
      faults,
    })
    return sendInApplication(visit, status, { title: 'Client secrets', place: 'secrets', content })
  }

  async function add(visit: InApplication): Promise<FastifyReply> {
    const { team, application, form, doing, reply } = visit
    const typed = form.get('name')
    const name = tidy(typed) ?? ''
    const fault = name === '' ? 'Give the secret a name.' : textFault(name, LONGEST_SECRET_NAME)
    if (fault !== null) return show(visit, 400, typed ?? '', { name: fault })
    const id = openFormId(parts, visit, madeIn(visit))
    if (id === null) return show(visit, 400, name, { page: 'That page was too old. Please send it once more.' })
    const named = { teamId: team.id, applicationId: application.id }
    const value = newOpaqueSecret()
    const path = applicationPath(visit)
    const outcome = await addSecret(db, named, { id, name, value }, doing)
    switch (outcome) {
      case 'added': {
        const content = secretMadeContent(`/portal${path}`, application, value)
        return sendInApplication(visit, 200, { title: 'New secret', place: 'secrets', content })
      }
      case 'there-already':
        return goDone(reply, `${path}/secrets`, 'secret-made-already')
      case 'two-already':
        return show(visit, 409, name, { page: TWO_ALREADY })
      case 'keeps-none':
        return show(visit, 409, name)
      case 'unknown':
        throw notFound()
    }
  }

  async function askToRevoke(visit: InApplication, status: number, fault: string | null): Promise<FastifyReply> {
    const secrets = await secretsOf(db, visit.application.id)
    const secret = secrets.find(({ id }) => id === parameterOf(visit.request, 'secret'))
    if (secret === undefined) throw notFound()
    const content = revokeContent({
      csrf: visit.browser.csrf,
      path: `/portal${applicationPath(visit)}`,
      secret,
      isLast: secrets.length === 1,
      fault,
    })
    return sendInApplication(visit, status, { title: 'Revoke a secret', place: 'secrets', content })
  }

  async function revoke(visit: InApplication): Promise<FastifyReply> {
    const { team, application, form, doing, request, reply } = visit
    const secretId = parameterOf(request, 'secret')
    const evenTheLast = form.get('understood') === 'on'
    const revoked = { teamId: team.id, applicationId: application.id, secretId, evenTheLast }
    const outcome = await revokeSecret(db, revoked, doing)
    switch (outcome) {
      case 'revoked':
        return goDone(reply, `${applicationPath(visit)}/secrets`, 'secret-revoked')
      case 'last-one':
        return askToRevoke(visit, 409, 'It is the last one: say that you know what that means.')
      case 'unknown':
        throw notFound()
    }
  }

  const path = '/teams/:team/applications/:application/secrets'
  return [
    {
      method: 'GET',
      path,
      who: 'application.see',
      answer: inApplication(parts, (visit) => show(visit, 200)),
    },
    { method: 'POST', path, who: 'secret.change', answer: inApplication(parts, add) },
    {
      method: 'GET',
      path: `${path}/:secret/revoke`,
      who: 'secret.change',
      answer: inApplication(parts, (visit) => askToRevoke(visit, 200, null)),
    },
    {
      method: 'POST',
      path: `${path}/:secret/revoke`,
      who: 'secret.change',
      answer: inApplication(parts, revoke),
    },
  ]
}

function madeIn({ application }: InApplication): FormId {
  return { prefix: 'sec', within: application.id }
}
