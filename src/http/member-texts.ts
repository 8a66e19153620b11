import { endOfString } from './strict-json.ts'

/**
 * The very text of one member of a JSON object, or of each object in an array: what is passed on unchanged must not go
 * through a parser, which would round large numbers. The text is known to be valid, with each name once. Null where the
 * member is not there.
 */
export function memberTexts(text: string, name: string): Array<string | null> {
  const found: Array<string | null> = []
  const level = text.trimStart().startsWith('[') ? 2 : 1
  let depth = 0
  let expectsName = false
  let start: number | null = null

  const end = (at: number) => {
    if (start !== null) found[found.length - 1] = text.slice(start, at).trim()
    start = null
  }
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charAt(at)) {
      case '{':
      case '[':
        depth += 1
        expectsName = depth === level
        if (expectsName) found.push(null)
        break
      case '}':
      case ']':
        if (depth === level) end(at)
        depth -= 1
        break
      case ',':
        if (depth !== level) break
        end(at)
        expectsName = true
        break
      case ':':
        if (depth === level && start === -1) start = at + 1
        break
      case '"': {
        const close = endOfString(text, at)
        if (depth === level && expectsName) {
          expectsName = false
          const written: unknown = JSON.parse(text.slice(at, close + 1))
          if (written === name) start = -1
        }
        at = close
        break
      }
      default:
    }
  }
  return found
}
