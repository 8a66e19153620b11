import { signedHeaders } from './signature.ts'

/** Everything that we say in a request's head ourselves (decision D3); what carries it adds host and length. */
export function requestHeaders(
  event: { id: string; body: string },
  secrets: readonly string[],
  at: Date,
): Record<string, string> {
  return {
    'content-type': 'application/json',
    'user-agent': 'Handover-Webhooks/1.0',
    'accept-encoding': 'identity',
    ...signedHeaders(event, secrets, at),
  }
}
