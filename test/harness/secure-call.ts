import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { text } from 'node:stream/consumers'
import { type Answer, toAnswer } from './answer.ts'

export type SecureCall = {
  method?: string
  headers?: Record<string, string>
  body?: string
  /** The loopback address that the connection comes from, as if it were another machine. */
  from?: string
}

/** Over TLS, trusting one certificate, and over a connection of its own. */
export async function callSecurely(
  url: string,
  ca: string,
  { method = 'GET', headers, body, from }: SecureCall = {},
): Promise<Answer> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const options = {
      ca,
      method,
      agent: false,
      family: 4,
      ...(headers && { headers }),
      ...(from && { localAddress: from }),
    }
    request(url, options, resolve).on('error', reject).end(body)
  })
  const named = Object.entries(response.headers).map(([name, value]): [string, string] => [name, String(value)])
  return toAnswer(response.statusCode ?? 0, new Headers(named), await text(response))
}
