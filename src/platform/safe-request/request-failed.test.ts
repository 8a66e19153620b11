import assert from 'node:assert/strict'
import { test } from 'node:test'
import { errors } from 'undici'
import { AddressRefused, failureOn, RequestFailed, tlsFailure } from './request-failed.ts'

const coded = (code: string, more: object = {}) => Object.assign(new Error('POST /secret-path'), { code }, more)

const rows: Array<[string, Error, string]> = [
  ['its own kind', new RequestFailed('dns', 'x'), 'dns'],
  ['a refused address', new AddressRefused('host.example', '10.0.0.1', 'is a private address'), 'refused-address'],
  ['headers that are too large', new errors.HeadersOverflowError(), 'headers-too-large'],
  ['a socket that was closed', new errors.SocketError('other side closed'), 'reset'],
  ['an answer nobody asked for', new errors.SocketError('bad response'), 'protocol'],
  ['a client that was destroyed', new errors.ClientDestroyedError(), 'reset'],
  ['a reset', coded('ECONNRESET'), 'reset'],
  ['a broken pipe', coded('EPIPE'), 'reset'],
  ['an alert after the handshake', coded('ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', { reason: 'x' }), 'tls'],
  ['an answer that cannot be parsed', new errors.HTTPParserError('x'), 'protocol'],
  ['anything else', new Error('POST /secret-path'), 'protocol'],
]
for (const [what, error, kind] of rows)
  test(`${what} is a failure of the kind ${kind}, told without what the error quotes`, () => {
    const failure = failureOn('host.example', error)
    assert.equal(failure.kind, kind)
    assert.doesNotMatch(failure.message, /secret-path|10\.0\.0\.1/)
  })

test('what we asked wrongly is thrown', () => {
  const wrong = new errors.InvalidArgumentError('invalid header')
  assert.throws(() => failureOn('host.example', wrong), wrong)
})

test('of TLS only short words are told', () => {
  const told = (error: unknown) => tlsFailure('h', error).message.replace('No secure connection to h: ', '')
  assert.equal(told(coded('CERT_HAS_EXPIRED', { message: 'certificate has expired' })), 'certificate has expired')
  assert.equal(told(coded('X', { message: 'self-signed certificate; if you trust it …' })), 'self-signed certificate')
  assert.equal(told(coded('X', { reason: 'ssl/tls alert handshake failure' })), 'ssl/tls alert handshake failure')
  assert.equal(told(coded('ERR_SSL_X', { message: '80F0:error:0A00:SSL routines:../deps/x.c:1:' })), 'ERR_SSL_X')
  assert.equal(told(coded('X', { message: 'a'.repeat(101) })), 'X')
  assert.equal(told(coded('ECONNRESET')), 'it closed the connection during the handshake')
  assert.equal(told('thrown text'), 'the handshake failed')
})
