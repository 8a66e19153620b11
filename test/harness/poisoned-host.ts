import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { type FormFields, onlyForm, type WebAnswer, type WebClient } from './web-client.ts'

/** Posts the page's form with another name in `Host`, which `fetch` does not let anybody choose. */
export async function postWithHost(
  host: string,
  browser: WebClient,
  page: WebAnswer,
  fields: FormFields,
  headers: Record<string, string> = {},
): Promise<{ status: number; text: string }> {
  const { action, fields: hidden } = onlyForm(page)
  const { hostname, port, pathname } = new URL(action)
  const names = ['handover-browser', '__Host-handover-browser']
  const cookie = names.map((name) => `${name}=${browser.cookie(action, name) ?? ''}`).join('; ')
  const body = new URLSearchParams(
    Object.entries({ ...hidden, ...fields }).map(([name, value]): [string, string] => [name, value ?? '']),
  ).toString()
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request({
      hostname,
      port,
      path: pathname,
      method: 'POST',
      headers: { ...headers, host, cookie, 'content-type': 'application/x-www-form-urlencoded' },
    })
      .on('response', resolve)
      .on('error', reject)
      .end(body)
  })
  return { status: response.statusCode ?? 0, text: await text(response) }
}
