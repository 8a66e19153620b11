import type { Cipher } from '../../platform/cipher.ts'
import type { Addresses } from '../addresses.ts'
import type { Config } from '../config.ts'

/**
 * Everything a newcomer needs to call the service, under the names of `data/demo.env`. Ids and secrets are derived from the
 * master key, so they are the same on every start and nobody else's.
 */
export type DemoValues = ReturnType<typeof demoValues>

export const DEMO_FACILITIES = ['riverside', 'hillcrest', 'lakeview'] as const

export function demoValues(
  cipher: Cipher,
  { authUrl, baseUrl }: Addresses,
  receiverUrl: string,
  { audiences }: Config,
) {
  const secret = (name: string) => cipher.derive(`demo ${name}`, 32).toString('base64url')
  return {
    AUTH_URL: authUrl,
    BASE_URL: baseUrl,
    RECEIVER_URL: receiverUrl,
    TOKEN_URL: `${authUrl}/oidc/oauth/token`,
    WEBHOOKS_URL: `${baseUrl}/api/v2/public/webhooks/facility`,
    EVENTS_URL: `${baseUrl}/platform/v1/events`,
    API_AUDIENCE_PROD: audiences.production,
    API_AUDIENCE_SANDBOX: audiences.sandbox,
    MACHINE_CLIENT_ID: demoId(cipher, 'app', 'machine'),
    MACHINE_CLIENT_SECRET: secret('machine client secret'),
    OFF_CLIENT_ID: demoId(cipher, 'app', 'machine without client_credentials'),
    OFF_CLIENT_SECRET: secret('off client secret'),
    WEB_CLIENT_ID: demoId(cipher, 'app', 'web'),
    WEB_CLIENT_SECRET: secret('web client secret'),
    WEB_REDIRECT_URI: `${authUrl}/demo/client/callback`,
    SPA_CLIENT_ID: demoId(cipher, 'app', 'spa'),
    SPA_REDIRECT_URI: `${authUrl}/demo/client/spa`,
    TRUSTED_CLIENT_ID: demoId(cipher, 'app', 'trusted'),
    TRUSTED_CLIENT_SECRET: secret('trusted client secret'),
    PLATFORM_KEY: `hpk_${secret('platform key sandbox')}`,
    PLATFORM_KEY_PROD: `hpk_${secret('platform key production')}`,
    NURSE_EMAIL: 'nurse@example.com',
    FACILITY_EMAIL: 'facility@example.com',
    PORTAL_EMAIL: 'developer@example.com',
    SUPPORT_EMAIL: 'support@example.com',
    DEMO_PASSWORD: `demo-${cipher.derive('demo password', 6).toString('hex')}`,
    SANDBOX_FACILITY: `fac_sandbox_${DEMO_FACILITIES[0]}`,
    SANDBOX_FACILITIES: DEMO_FACILITIES.map((name) => `fac_sandbox_${name}`).join(','),
    PROD_FACILITIES: DEMO_FACILITIES.map((name) => `fac_${name}`).join(','),
  }
}

const FIRST_OF_JANUARY_2026 = new Date(Date.UTC(2026, 0, 1))

/** An id in the shape of decision A6 that comes out the same on every start. */
export function demoId(cipher: Cipher, prefix: string, name: string, madeAt = FIRST_OF_JANUARY_2026): string {
  const noise = cipher.derive(`demo id ${prefix} ${name}`, 10).toString('hex')
  const moment = madeAt.getTime().toString(16).padStart(12, '0')
  return `${prefix}_${moment}7${noise.slice(0, 3)}8${noise.slice(3, 18)}`
}
