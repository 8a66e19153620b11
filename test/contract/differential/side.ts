import { type Answer, ask, type Fields, formOf } from '../../harness/answer.ts'

export const AUDIENCE = 'urn:handover:api:production'
export const CALLBACK = 'https://client.example/callback'

export type Client = { id: string; secret: string | null }

export type ClientName = 'web' | 'otherWeb' | 'machine' | 'notEnabled' | 'spa'

/** A code as /authorize would have issued it. */
export type CodeRequest = { client: ClientName; redirectUri?: 'sent' | 'left out'; challenge?: string; scope?: string }

/** One of the two servers that get the same requests. */
export type Side = {
  endpoints: { token: string; introspect: string; revoke: string; userinfo: string }
  clients: Record<ClientName, Client>
  code: (request: CodeRequest) => Promise<string>
  stop: () => Promise<void>
}

/** A request in the words of both: `null` leaves a field out. */
export type FormRequest = {
  client?: ClientName
  /** How the client proves itself; by its nature unless told otherwise. */
  as?: 'post' | 'basic'
  fields: Fields
  to?: keyof Side['endpoints']
  headers?: Record<string, string>
}

export function send(
  side: Side,
  { client, as = 'post', fields, to = 'token', headers = {} }: FormRequest,
): Promise<Answer> {
  const { id = null, secret = null } = client === undefined ? {} : side.clients[client]
  const byPost = as === 'post' ? { client_id: id, client_secret: secret } : {}
  const byBasic = as === 'basic' ? { authorization: basic(id ?? '', secret ?? '') } : {}
  const body = formOf({ ...byPost, ...fields })
  return ask(side.endpoints[to], { method: 'POST', body, headers: { ...byBasic, ...headers } })
}

export function basic(id: string, secret: string): string {
  return `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}`
}

/** What is compared: the status, the error code, and what introspection says. */
export function outcome({ status, body }: Answer): string {
  const active = body['active']
  const said = typeof active === 'boolean' ? (active ? 'active' : 'inactive') : body['error']
  return typeof said === 'string' ? `${status} ${said}` : String(status)
}
