import { isListenerName, LONGEST_ADDRESS } from '../../domain/listeners/listener.ts'
import { OperatorError } from '../../platform/operator-error.ts'

/** `localhost:3000/hooks` is http; nothing else is guessed. */
export function readForwardTo(text: string | undefined): URL {
  if (text === undefined)
    throw new OperatorError('listen needs --forward-to, such as --forward-to localhost:3000/hooks')
  const written = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`
  const url = URL.canParse(written) ? new URL(written) : null
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new OperatorError(
      '--forward-to takes an address such as localhost:3000/hooks or https://localhost:3000/hooks',
    )
  if (url.username !== '' || url.password !== '' || url.hash !== '')
    throw new OperatorError('--forward-to takes an address without credentials and without a fragment')
  if (url.href.length > LONGEST_ADDRESS)
    throw new OperatorError(`--forward-to takes an address of at most ${LONGEST_ADDRESS} characters`)
  return url
}

/** What this computer is called, as far as that can be the name of a listener. */
export function usualName(hostName: string): string {
  const [first = ''] = hostName.toLowerCase().split('.')
  const name = first
    .replaceAll(/[^a-z0-9_-]+/g, '-')
    .replace(/^[^a-z0-9]+/, '')
    .slice(0, 63)
  return isListenerName(name) ? name : 'listener'
}

const UNITS: Record<string, number> = { s: 1, m: 60, h: 3_600 }

/** `30s`, `5m`, `1h`, or seconds. */
export function readSpan(text: string, from: string): number {
  const [, number = '', unit = 's'] = /^(\d{1,6})([smh])?$/.exec(text) ?? []
  const seconds = Number(number) * (UNITS[unit] ?? 0)
  if (number === '' || seconds <= 0) throw new OperatorError(`${from} takes a span of time such as 30s, 5m or 1h`)
  return seconds
}
