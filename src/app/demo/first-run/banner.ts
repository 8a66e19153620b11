import type { DemoValues } from '../demo-values.ts'
import { byHand } from './by-hand.ts'
import type { FirstWebhook } from './first-webhook.ts'

/** What a newcomer needs to see, and no more. */
export function banner(values: DemoValues, seconds: number): string {
  return `
  Handover is ready at ${values.AUTH_URL} (${seconds.toFixed(1)} s). Demo mode: this machine only, stop with Ctrl-C.

    portal       ${values.AUTH_URL}/portal as ${values.PORTAL_EMAIL}
    support      ${values.AUTH_URL}/support as ${values.SUPPORT_EMAIL}
    client       ${values.AUTH_URL}/demo/client as ${values.NURSE_EMAIL} or ${values.FACILITY_EMAIL}
    password     ${values.DEMO_PASSWORD}, the same for everybody

    docs         ${values.AUTH_URL}/docs
    discovery    ${values.AUTH_URL}/oidc/.well-known/openid-configuration
    client id    ${values.MACHINE_CLIENT_ID}
    facilities   ${values.SANDBOX_FACILITIES.split(',').slice(0, 2).join(', ')} (sandbox)
    receiver     ${values.RECEIVER_URL}
    mailbox      ${values.AUTH_URL}/demo/mailbox
`
}

/** How the first webhook fared, and how to send another. */
export function firstSteps(values: DemoValues, demoEnv: string, first: FirstWebhook): string {
  const lines = byHand(demoEnv).map((line) => `  ${line}`)
  return `
  Your first webhook: ${inWords(first, values)}
  Once more by hand, in another terminal, with what ${demoEnv} has for you: a token, a webhook, an event.

${lines.join('\n')}

`
}

function inWords(first: FirstWebhook, { AUTH_URL }: DemoValues): string {
  switch (first.outcome) {
    case 'delivered':
      return `delivered, signature valid, ${first.seconds.toFixed(2)} s from publishing to receipt.`
    case 'disabled':
      return `not sent, because it is disabled. Enable it in the portal, ${AUTH_URL}/portal.`
    case 'not-delivered':
      return `not delivered. ${first.why} Its deliveries and requests are in the portal, ${AUTH_URL}/portal.`
  }
}
