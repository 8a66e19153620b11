import { type IncomingHttpHeaders, request as requestPlain } from 'node:http'
import { request as requestSecure } from 'node:https'
import { TLSSocket } from 'node:tls'

/** What a visitor of a public address gets, and the certificate behind it. */
export type OutsideAnswer = {
  status: number
  headers: IncomingHttpHeaders
  body: string
  /** Null over plain http. */
  certificateEnds: Date | null
}

const PATIENCE_MS = 4_000
/** Our documents are a few kB, and metrics that are longer are known by their beginning; the rest is not waited for. */
const MOST_BYTES = 256 * 1_024

/** As any visitor would, and never over a connection that was made before. Redirects are not followed: verifiers do not either. */
export async function fetchOutside(url: string): Promise<OutsideAnswer> {
  const request = url.startsWith('https:') ? requestSecure : requestPlain
  const signal = AbortSignal.timeout(PATIENCE_MS)
  return new Promise((resolve, reject) => {
    const asking = request(url, { agent: false, signal, headers: { accept: 'application/json' } }, (response) => {
      const certificateEnds = endOfCertificate(response.socket)
      beginningOf(response).then(
        (body) => resolve({ status: response.statusCode ?? 0, headers: response.headers, body, certificateEnds }),
        reject,
      )
    })
    asking.on('error', reject).end()
  })
}

async function beginningOf(response: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes > MOST_BYTES) break
  }
  return Buffer.concat(chunks).toString()
}

function endOfCertificate(socket: unknown): Date | null {
  return socket instanceof TLSSocket ? new Date(socket.getPeerCertificate().valid_to) : null
}
