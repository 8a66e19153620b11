/** Why a text is not JSON that means the same to everyone: where (JSON pointer), and what to do. */
export type JsonFault = { pointer: string; message: string }

/** Deeper than anything an operation takes, and shallow enough for every program that reads it after us. */
const MAX_DEPTH = 64

type Frame = { names: Set<string> | null; at: string | number }

/**
 * What JSON.parse lets through and readers take differently (RFC 7493): the same name twice, half a surrogate pair, and the
 * NUL that PostgreSQL cannot store. The text has been parsed already, so only its structure is followed here.
 */
export function findJsonFault(text: string): JsonFault | null {
  const frames: Frame[] = []
  let expectsName = false

  for (let at = 0; at < text.length; at += 1) {
    const frame = frames.at(-1)
    switch (text.charAt(at)) {
      case '{':
      case '[': {
        const isObject = text[at] === '{'
        if (frames.length === MAX_DEPTH)
          return { pointer: pointerOf(frames), message: `is nested deeper than ${MAX_DEPTH} levels` }
        frames.push({ names: isObject ? new Set() : null, at: 0 })
        expectsName = isObject
        break
      }
      case '}':
      case ']':
        frames.pop()
        expectsName = false
        break
      case ',':
        if (frame === undefined) break
        expectsName = frame.names !== null
        if (typeof frame.at === 'number') frame.at += 1
        break
      case '"': {
        const end = endOfString(text, at)
        const string = decode(text, at, end)
        if (expectsName && frame?.names) {
          frame.at = string
          if (frame.names.has(string)) return { pointer: pointerOf(frames), message: 'is there twice; send it once' }
          frame.names.add(string)
          expectsName = false
        }
        if (!isStorable(string))
          return { pointer: pointerOf(frames), message: 'holds a NUL character or half of a surrogate pair' }
        at = end
        break
      }
      default:
    }
  }
  return null
}

/** A name is an object's, a number an array's; what is asked for lies at or under the innermost frame. */
function pointerOf(frames: readonly Frame[]): string {
  return frames.map(({ at }) => `/${String(at).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

/** Where the string that begins at `start` has its closing quote. */
export function endOfString(text: string, start: number): number {
  let end = start + 1
  while (text[end] !== '"') end += text[end] === '\\' ? 2 : 1
  return end
}

function decode(text: string, start: number, end: number): string {
  const raw = text.slice(start + 1, end)
  if (!raw.includes('\\')) return raw
  const decoded: unknown = JSON.parse(text.slice(start, end + 1))
  return String(decoded)
}

function isStorable(string: string): boolean {
  return string.isWellFormed() && !string.includes('\0')
}
