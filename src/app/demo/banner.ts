import type { DemoValues } from './demo-values.ts'

/** What a newcomer needs to see, and no more. */
export function banner(values: DemoValues, demoEnv: string, seconds: number): string {
  return `
  Handover is ready at ${values.AUTH_URL} (${seconds.toFixed(1)} s). Demo mode: this machine only, stop with Ctrl-C.

    issuer       ${values.AUTH_URL}/oidc
    public API   ${values.BASE_URL}/api/v2/public
    portal       ${values.AUTH_URL}/portal as ${values.PORTAL_EMAIL}
    support      ${values.AUTH_URL}/support as ${values.SUPPORT_EMAIL}
    people       ${values.NURSE_EMAIL}, ${values.FACILITY_EMAIL}
    password     ${values.DEMO_PASSWORD}
    client id    ${values.MACHINE_CLIENT_ID}
    mailbox      ${values.AUTH_URL}/demo/mailbox
    receiver     ${values.RECEIVER_URL}
    everything   ${demoEnv}
`
}
