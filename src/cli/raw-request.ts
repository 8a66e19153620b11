import { OperatorError } from '../platform/operator-error.ts'

/** A request as it went over the wire, in the two parts that a signature is judged by. */
export type RawRequest = { headers: string; body: Buffer }

/** A whole HTTP/1.1 request as a proxy or `nc` saves it: head, an empty line, body. */
export function readRawRequest(bytes: Buffer): RawRequest {
  const end = endOfHead(bytes)
  if (end === null)
    throw new OperatorError('This is not a whole request: there is no empty line between its headers and its body.')
  const headers = bytes.subarray(0, end.head).toString('latin1')
  const rest = bytes.subarray(end.body)
  if (/^transfer-encoding:.*chunked/im.test(headers)) return { headers, body: unchunked(rest) }
  const length = /^content-length:\s*(\d{1,15})\s*$/im.exec(headers)?.[1]
  if (length === undefined) return { headers, body: rest }
  if (rest.length < Number(length))
    throw new OperatorError(
      `The request is cut off: its body has ${rest.length} bytes, and Content-Length says ${length}.`,
    )
  // What saved it may have added a line break at the end.
  return { headers, body: rest.subarray(0, Number(length)) }
}

function endOfHead(bytes: Buffer): { head: number; body: number } | null {
  const [crlf, lf] = [bytes.indexOf('\r\n\r\n'), bytes.indexOf('\n\n')]
  if (crlf !== -1 && (lf === -1 || crlf < lf)) return { head: crlf, body: crlf + 4 }
  return lf === -1 ? null : { head: lf, body: lf + 2 }
}

/** RFC 9112 7.1; trailers are not looked at. */
function unchunked(bytes: Buffer): Buffer {
  const chunks: Buffer[] = []
  for (let at = 0; ; ) {
    const lineEnd = bytes.indexOf('\r\n', at)
    const size =
      lineEnd === -1 ? undefined : /^([0-9a-f]{1,8})(?:;.*)?$/i.exec(bytes.toString('latin1', at, lineEnd))?.[1]
    if (size === undefined) throw new OperatorError('The chunks of the body cannot be read: it is cut off or changed.')
    const length = Number.parseInt(size, 16)
    if (length === 0) return Buffer.concat(chunks)
    const start = lineEnd + 2
    if (start + length > bytes.length) throw new OperatorError('The body is cut off in the middle of a chunk.')
    chunks.push(bytes.subarray(start, start + length))
    at = start + length + 2
  }
}
