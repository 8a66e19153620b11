/**
 * What connections to the database have put off until the end of the event loop's turn, to send it together. With more than a thousand
 * sockets to read that end is seconds away, so whoever finds a turn too long sends it before.
 */
export const unsent = new Set<() => void>()

export function sendUnsent(): void {
  for (const send of unsent) send()
}
