/** The part of the package `oidc-provider` that the tests and the benchmark use; it comes without types of its own. */
declare module 'oidc-provider' {
  import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'

  type Model = { save: (ttlSeconds?: number) => Promise<string> }

  export class Provider {
    constructor(issuer: string, configuration: Record<string, unknown>)
    callback(): RequestListener
    interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>
    on(event: 'server_error', listener: (context: unknown, error: unknown) => void): this
    readonly Client: { find: (clientId: string) => Promise<object | undefined> }
    readonly AuthorizationCode: new (
      payload: Record<string, unknown>,
    ) => Model
    readonly RefreshToken: new (
      payload: Record<string, unknown>,
    ) => Model
    readonly Grant: new (
      payload: Record<string, unknown>,
    ) => Model & {
      addOIDCScope: (scope: string) => void
      addResourceScope: (resource: string, scope: string) => void
    }
  }

  export const errors: { InvalidTarget: new () => Error }
}
