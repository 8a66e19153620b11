import type { Config } from './config.ts'

/** Where others reach us. In demo mode nothing is configured and the addresses follow the port (decision A2, A3). */
export type Addresses = { authUrl: string; baseUrl: string; issuer: string }

export function addressesOf(config: Config, port: number): Addresses {
  const here = `http://localhost:${port}`
  const authUrl = config.authUrl ?? here
  return { authUrl, baseUrl: config.baseUrl ?? here, issuer: `${authUrl}/oidc` }
}
