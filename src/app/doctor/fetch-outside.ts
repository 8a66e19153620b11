import { type IncomingHttpHeaders, request as requestPlain } from 'node:http'
import { request as requestSecure } from 'node:https'
import { text } from 'node:stream/consumers'
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
/** Our documents are a few kB; who sends more is somebody else. */
const MOST_BYTES = 256 * 1_024

/** As any visitor would, and never over a connection that was made before. Redirects are not followed: verifiers do not either. */
export async function fetchOutside(url: string): Promise<OutsideAnswer> {
  const request = url.startsWith('https:') ? requestSecure : requestPlain
  const signal = AbortSignal.timeout(PATIENCE_MS)
  return new Promise((resolve, reject) => {
    const asking = request(url, { agent: false, signal, headers: { accept: 'application/json' } }, (response) => {
      let bytes = 0
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length
        if (bytes > MOST_BYTES) response.destroy(new Error('The answer is too large'))
      })
      const certificateEnds = endOfCertificate(response.socket)
      text(response).then(
        (body) => resolve({ status: response.statusCode ?? 0, headers: response.headers, body, certificateEnds }),
        reject,
      )
    })
    asking.on('error', reject).end()
  })
}

function endOfCertificate(socket: unknown): Date | null {
  return socket instanceof TLSSocket ? new Date(socket.getPeerCertificate().valid_to) : null
}
