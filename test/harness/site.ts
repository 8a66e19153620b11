import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'

export type SiteVisit = { method: string; url: URL; form: URLSearchParams }
export type SiteAnswer = { status?: number; headers?: Record<string, string>; body?: string }

/** Somebody else's web site: an application of an integrator, or wherever that one sends people on to. */
export type Site = { origin: string; visits: SiteVisit[]; close: () => Promise<void> }

/** `host` decides whether browsers take it for the same site as the service, which is at localhost. */
export async function startSite(
  host: 'localhost' | '127.0.0.1',
  answer: (visit: SiteVisit) => SiteAnswer | Promise<SiteAnswer>,
): Promise<Site> {
  const visits: SiteVisit[] = []
  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', origin)
    const visit = { method: request.method ?? '', url, form: new URLSearchParams(await text(request)) }
    visits.push(visit)
    const { status = 200, headers = {}, body = '' } = await answer(visit)
    response.writeHead(status, { 'content-type': 'text/html; charset=utf-8', ...headers }).end(body)
  }
  const server = createServer((request, response) => {
    respond(request, response).catch((error: unknown) => {
      response.writeHead(500, { 'content-type': 'text/plain' }).end(String(error))
    })
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const place = server.address()
  const origin = `http://${host}:${typeof place === 'object' && place !== null ? place.port : 0}`
  return {
    origin,
    visits,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

export function sentOn(location: string): SiteAnswer {
  return { status: 303, headers: { location } }
}

export function titled(title: string, more = ''): SiteAnswer {
  return {
    body: `<!doctype html><html lang="en"><title>${title}</title><link rel="icon" href="data:,"><h1>${title}</h1>${more}`,
  }
}
