import { type Disabled, FAILING_DAYS, type Notice, type Warning } from '../domain/deliveries/failing-store.ts'
import { RETENTION_DAYS } from '../domain/deliveries/retention-store.ts'
import type { Mail } from '../platform/mail.ts'

// The host alone: the path of a webhook's URL may be a secret, and mail is read by many machines.

const WHEN = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })

export function warningMail(to: string, baseUrl: string, warning: Warning, now: Date): Mail {
  const { host, since, disabledFrom } = warning
  const end = disabledFrom > now ? `on ${WHEN.format(disabledFrom)} UTC` : 'after a few more failures'
  return {
    to,
    subject: `Your webhook at ${host} is failing`,
    text: `Hello,

Since ${WHEN.format(since)} UTC every request to this webhook has failed:

${facts(warning)}

We keep trying. If none succeeds, the webhook is disabled ${end}; one success is enough to stop that.
What every attempt came to is told by GET ${addressOf(baseUrl, warning)}/deliveries

Handover
`,
  }
}

const WHY: Record<Disabled['because'], string> = {
  failing: `Every request to it failed for ${FAILING_DAYS} days.`,
  gone: 'It answered 410 Gone, which says that it wants no more requests.',
}

export function disabledMail(to: string, baseUrl: string, disabled: Disabled): Mail {
  return {
    to,
    subject: `Your webhook at ${disabled.host} was disabled`,
    text: `Hello,

This webhook was disabled:

${facts(disabled)}

${WHY[disabled.because]} Nothing is sent to it any more. Events for it are held for ${RETENTION_DAYS} days each,
and are sent when it is enabled again:

POST ${addressOf(baseUrl, disabled)}/enable

Handover
`,
  }
}

function facts({ host, webhookId, kind, environment }: Notice): string {
  return `  host         ${host}\n  webhook      ${webhookId} (${kind})\n  environment  ${environment}`
}

function addressOf(baseUrl: string, { kind, webhookId }: Notice): string {
  return `${baseUrl}/api/v2/public/webhooks/${kind}/${webhookId}`
}
