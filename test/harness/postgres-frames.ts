/**
 * Reads what a client sends to PostgreSQL and reports the text of every statement that it runs: a simple query, or the
 * statement that a Bind names (protocol 3.0, "Message Formats").
 */
export function statementReader(report: (statement: string) => void): (chunk: Buffer) => void {
  const parsed = new Map<string, string>()
  let unread: Buffer = Buffer.alloc(0)
  let started = false

  return (chunk) => {
    unread = Buffer.concat([unread, chunk])
    for (;;) {
      // The first messages (start-up, SSL) have no letter in front.
      const head = started ? 1 : 0
      if (unread.length < head + 4) return
      const end = head + unread.readUInt32BE(head)
      if (unread.length < end) return
      const [letter, body] = [started ? String.fromCharCode(unread[0] ?? 0) : '', unread.subarray(head + 4, end)]
      unread = unread.subarray(end)
      if (!started) {
        started = body.readUInt32BE(0) >>> 16 === 3
        continue
      }
      const [first, second] = body.toString('latin1').split('\0', 2)
      if (letter === 'Q') report(first ?? '')
      if (letter === 'P') parsed.set(first ?? '', second ?? '')
      // A Bind names the portal first, then the statement.
      if (letter === 'B') report(parsed.get(second ?? '') ?? '')
    }
  }
}
