import { MOST_DATA_BYTES } from '../../http/event-fields.ts'
import { findJsonFault } from '../../http/strict-json.ts'

/** What is wrong with a text that is to be an event's `data`; null when it can be sent to the byte. */
export function dataFault(text: string): string | null {
  const data = text.trim()
  if (data === '') return 'Write a JSON object; {} is the smallest.'
  if (Buffer.byteLength(data) > MOST_DATA_BYTES) return `Write at most ${MOST_DATA_BYTES} bytes.`
  let value: unknown
  try {
    value = JSON.parse(data)
  } catch (error) {
    return `This is not JSON: ${error instanceof SyntaxError ? error.message : 'it cannot be read'}.`
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'It must be a JSON object: { … }.'
  const fault = findJsonFault(data)
  return fault === null ? null : `What is at "${fault.pointer}" ${fault.message}.`
}
