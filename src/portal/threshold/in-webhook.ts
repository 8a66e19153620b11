import type { FastifyReply } from 'fastify'
import { type Standing, standingsOf } from '../../domain/deliveries/webhook-standing-store.ts'
import { bucketOf, costlyRate } from '../../domain/limits/application-rates.ts'
import { type AtWork, findTeamWebhook } from '../../domain/team-webhooks/team-webhook.ts'
import { may } from '../../domain/teams/team.ts'
import type { Webhook } from '../../domain/webhooks/webhook.ts'
import { parameterOf } from '../../http/path-parameter.ts'
import { notFound } from '../../http/problem.ts'
import { type Content, html } from '../../ui/html.ts'
import { type WebhookPlace, webhookPage } from '../../ui/webhook-layout.ts'
import { applicationPath, type InEnvironment, inEnvironment, sendInApplication } from './in-application.ts'
import type { PortalParts } from './parts.ts'
import type { InTeam } from './visit.ts'
import { webhookTags } from './webhook-tags.ts'

/** At a page of one of the application's webhooks, its people's included. */
export type InWebhook = InEnvironment & { webhook: Webhook }

/** Every path of a webhook's pages begins like this. */
export const WEBHOOKS = '/teams/:team/applications/:application/:environment/webhooks'

/** The path of a page of one webhook. */
export function atWebhook(ending: string): `${typeof WEBHOOKS}/:webhook${string}` {
  return `${WEBHOOKS}/:webhook${ending}`
}

/** For a page whose path names `:webhook`; that of another application or environment does not exist. */
export function inWebhook(
  parts: PortalParts,
  answer: (visit: InWebhook) => Promise<FastifyReply>,
): (visit: InTeam) => Promise<FastifyReply> {
  return inEnvironment(parts, async (visit) => {
    const webhook = await findTeamWebhook(parts, visit, parameterOf(visit.request, 'webhook'))
    if (webhook === null) throw notFound()
    return answer({ ...visit, webhook })
  })
}

/** Where the application's webhooks are listed. */
export function webhooksPath(visit: InEnvironment): string {
  return `${applicationPath(visit)}/${visit.environment}/webhooks`
}

export function webhookPath(visit: InWebhook): string {
  return `${webhooksPath(visit)}/${visit.webhook.id}`
}

export function workOf({ team, application, environment, doing }: InEnvironment): AtWork {
  return { teamId: team.id, application, environment, doing }
}

/** What costs others something has one limit, whichever door it comes by (decision C11). */
export function charged({ limiter }: PortalParts, { application, environment }: InEnvironment, name: string): boolean {
  return limiter.charge(bucketOf(name, application.id, environment), costlyRate(application)).allowed
}

export const SLOW_DOWN = 'That was too much at once. Wait a few seconds and try again.'
export const WHILE_DISABLED = 'Nothing is sent to this webhook while it is disabled. Enable it first.'

/** Answers with a page inside the webhook's frame. The other environment has no such webhook, so the switch leads to its list. */
export async function sendInWebhook(
  { db }: PortalParts,
  visit: InWebhook,
  status: number,
  page: { title: string; place: WebhookPlace; content: Content; notices?: Content; standing?: Standing | undefined },
): Promise<FastifyReply> {
  const { webhook, team } = visit
  const standing = page.standing ?? (await standingsOf(db, [webhook.id])).get(webhook.id)
  const frame = {
    list: `/portal${webhooksPath(visit)}`,
    webhook,
    tags: webhookTags(webhook, standing),
    place: page.place,
    may: { send: may(team.role, 'delivery.send'), change: may(team.role, 'webhook.change') },
  }
  return sendInApplication(visit, status, {
    title: page.title,
    place: 'webhooks',
    content: html`${page.notices ?? null}${webhookPage(frame, page.content)}`,
  })
}
