import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { type Answer, type Fields, formOf, toAnswer } from './answer.ts'

/** POSTs a form over a connection that comes from this loopback address, as a caller on another machine would. */
export async function postFrom(localAddress: string, url: string, fields: Fields): Promise<Answer> {
  const { port, pathname } = new URL(url)
  const body = formOf(fields).toString()
  const headers = { 'content-type': 'application/x-www-form-urlencoded', 'content-length': body.length }
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request({ host: '127.0.0.1', port, path: pathname, method: 'POST', headers, localAddress }, resolve)
      .on('error', reject)
      .end(body)
  })
  const named = Object.entries(response.headers).map(([name, value]): [string, string] => [name, String(value)])
  return toAnswer(response.statusCode ?? 0, new Headers(named), await text(response))
}
