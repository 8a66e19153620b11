import { errors } from 'undici'

/** By stage: finding the address, judging it, dialling, TLS, and what the other side did with the request. */
export type FailureKind =
  | 'dns'
  | 'refused-address'
  | 'connect'
  | 'connect-timeout'
  | 'tls'
  | 'timeout'
  | 'reset'
  | 'headers-too-large'
  | 'protocol'

/** Its message is for the people who own the receiver: it names the host, and never the path, which can carry a secret. */
export class RequestFailed extends Error {
  override readonly name: string = 'RequestFailed'
  readonly kind: FailureKind

  constructor(kind: FailureKind, message: string, options?: ErrorOptions) {
    super(message, options)
    this.kind = kind
  }
}

/** The message leaves out the address: nobody is to learn from us how the names of an inner network resolve. */
export class AddressRefused extends RequestFailed {
  override readonly name = 'AddressRefused'
  readonly host: string
  readonly address: string

  constructor(host: string, address: string, reason: string) {
    super('refused-address', `The address of ${host} ${reason}, and is not called`)
    this.host = host
    this.address = address
  }
}

/** What went wrong on a connection that was made. What we did wrong ourselves is not the network's failure, and is thrown. */
export function failureOn(host: string, error: unknown): RequestFailed {
  if (error instanceof RequestFailed) return error
  if (error instanceof errors.InvalidArgumentError) throw error
  const code = codeOf(error)
  if (code === 'UND_ERR_HEADERS_OVERFLOW')
    return new RequestFailed('headers-too-large', `${host} answered with headers that are too large`, { cause: error })
  // With TLS 1.3 a server that wants a client's certificate says so after the handshake.
  if (/^ERR_(?:SSL|TLS)/.test(code)) return tlsFailure(host, error)
  if (isEnd(code, error))
    return new RequestFailed('reset', `${host} closed the connection before it answered`, { cause: error })
  return new RequestFailed('protocol', `${host} answered with something that is not HTTP/1.1`, { cause: error })
}

export function tlsFailure(host: string, error: unknown): RequestFailed {
  return new RequestFailed('tls', `No secure connection to ${host}: ${tlsReason(error)}`, { cause: error })
}

/** Such as `ECONNREFUSED`, or nothing. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}

function isEnd(code: string, error: unknown): boolean {
  // A "bad response" or "bad upgrade" is the same class to undici, but there it was the parser that ended it.
  if (code === 'UND_ERR_SOCKET') return !(error instanceof Error && error.message.startsWith('bad '))
  return ['ECONNRESET', 'EPIPE', 'ECONNABORTED', 'ETIMEDOUT', 'EHOSTUNREACH', 'UND_ERR_DESTROYED'].includes(code)
}

/** OpenSSL's own words are short; its messages put file names around them, Node adds advice, and certificates say what they like. */
function tlsReason(error: unknown): string {
  const code = codeOf(error)
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return 'its certificate is for another name'
  if (code === 'ECONNRESET') return 'it closed the connection during the handshake'
  if (!(error instanceof Error)) return 'the handshake failed'
  const words = 'reason' in error && typeof error.reason === 'string' ? error.reason : error.message
  return /^[\w /-]{1,100}(?=;|$)/.exec(words)?.[0] ?? (code || 'the handshake failed')
}
