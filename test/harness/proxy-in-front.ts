import { once } from 'node:events'
import { createServer as createPlain, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { createServer as createSecure } from 'node:https'
import { TLSSocket } from 'node:tls'
import { nginxSource, type Proxy, type ProxyPlan } from './nginx.ts'

/**
 * Stands in for nginx where there is none: takes turns between the processes, tries the next when one is away, and sets the
 * headers that our configuration of nginx sets, read from it.
 */
export async function startProxyInFront({ upstreams, httpPort, httpsPort, certificate }: ProxyPlan): Promise<Proxy> {
  const source = await nginxSource()
  const settings = [...source.matchAll(/^\s*proxy_set_header (\S+) (.*);$/gm)].map(([, name = '', value = '']) => ({
    name: name.toLowerCase(),
    value: value === '""' ? '' : value,
  }))
  let turn = 0

  function pass(incoming: IncomingMessage, outgoing: ServerResponse, body: Buffer, triesLeft: number): void {
    const variables: Record<string, string> = {
      $remote_addr: incoming.socket.remoteAddress ?? '',
      $host: (incoming.headers.host ?? '').replace(/:\d+$/, ''),
      $scheme: incoming.socket instanceof TLSSocket ? 'https' : 'http',
    }
    const headers: Record<string, string | string[] | undefined> = { ...incoming.headers }
    for (const { name, value } of settings) {
      delete headers[name]
      const set = variables[value] ?? value
      if (set !== '') headers[name] = set
    }
    const port = upstreams[turn++ % upstreams.length]
    const { method, url: path } = incoming
    request({ host: '127.0.0.1', port, method, path, headers, agent: false }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
      .on('error', () => (triesLeft > 1 ? pass(incoming, outgoing, body, triesLeft - 1) : outgoing.destroy()))
      .end(body)
  }

  const secure = createSecure(certificate, (incoming, outgoing) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => void chunks.push(chunk))
    incoming.on('end', () => pass(incoming, outgoing, Buffer.concat(chunks), 2))
  }).listen(httpsPort, '127.0.0.1')
  const plain = createPlain((incoming, outgoing) => {
    const host = (incoming.headers.host ?? '').replace(/:\d+$/, '')
    outgoing.writeHead(308, { location: `https://${host}${incoming.url}` }).end()
  }).listen(httpPort, '127.0.0.1')
  await Promise.all([secure, plain].map((server) => once(server, 'listening')))
  return {
    stop: async () => {
      for (const server of [secure, plain]) {
        server.closeAllConnections()
        await new Promise((closed) => server.close(closed))
      }
    },
  }
}
