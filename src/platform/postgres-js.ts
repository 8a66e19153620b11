import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'
import type postgresJs from 'postgres'

/**
 * postgres.js 3.4.9 with repairs. As it comes, a server that restarts or a connection that is reset under load ends the
 * whole process (its issues 1133 and 1192), leaves connections that can never be used again (1209), repeats a start for ever
 * (1193), lets a transaction that lost its connection go on inside another one (1216), begins one without a connection of its
 * own when the pipeline is full, holds locks for hours when the network goes silent, leaves whoever waits for a COPY that
 * failed at its end waiting for ever, and sends nothing while a crowd is being read. `test/storage/driver.test.ts`, `copy.test.ts`
 * and `sent-in-time.test.ts` fail without them; when a release passes them, this file goes.
 */
const REPAIRS: Record<string, ReadonlyArray<readonly [was: string, becomes: string]>> = {
  'connection.js': [
    // What is put off until the end of the loop's turn can be sent before it.
    [
      "import net from 'net'",
      `import net from 'net'\nimport { unsent } from ${JSON.stringify(import.meta.resolve('./unsent.ts'))}`,
    ],
    ['(nextWriteTimer = setImmediate(nextWrite))', '(nextWriteTimer = setImmediate(nextWrite), unsent.add(nextWrite))'],
    [
      'chunk = nextWriteTimer = null\n    return x',
      'chunk = nextWriteTimer = null\n    unsent.delete(nextWrite)\n    return x',
    ],
    // What was not sent yet, and the timer that would have sent it, belong to the connection that ended.
    [
      'clearImmediate(nextWriteTimer)\n    if (socket) {',
      'clearImmediate(nextWriteTimer)\n    chunk = nextWriteTimer = null\n    unsent.delete(nextWrite)\n    if (socket) {',
    ],
    [
      'clearImmediate(nextWriteTimer)\n    socket.removeListener',
      'clearImmediate(nextWriteTimer)\n    chunk = nextWriteTimer = null\n    unsent.delete(nextWrite)\n    socket.removeListener',
    ],
    // Whoever still waits when a connection ends is told so, and the next connection begins with nothing of this one.
    [
      'if (initial)\n      return reconnect()\n\n    !hadError && (query || sent.length) && error(',
      `terminated = true
    ;(query || initial || sent.length) && error(`,
    ],
    [
      'closedTime = performance.now()\n',
      `query = results = errorResponse = stream = null
    result = new Result()
    rows = 0
    ended && (ended(), ending = ended = null)
    closedTime = performance.now()
`,
    ],
    // Between the failure of a socket and its end nothing can be sent over it any more.
    [
      "if (terminated)\n      return queryError(q, Errors.connection('CONNECTION_DESTROYED', options))",
      "if (terminated || socket.destroyed)\n      return queryError(q, Errors.connection('CONNECTION_CLOSED', options))",
    ],
    ['return fetchArrayTypes()', 'return fetchArrayTypes().catch(noop)'],
    // The question for a statement's types is one of its own, with an end. Without one PostgreSQL waits for the rest inside the
    // statement, where no time limit of its counts: when the network goes silent there, the locks are held for hours.
    [
      '? Buffer.concat([describe(q), Flush])',
      '? Buffer.concat([describe(q), (q.describing = q.prepare && !q.onlyDescribe) ? Sync : Flush])',
    ],
    [
      'function ReadyForQuery(x) {\n    if (query) {',
      `function ReadyForQuery(x) {
    if (query && query.describing)
      return query.describing = false

    if (query) {`,
    ],
    [
      'query && (query.cursorFn || query.describeFirst) && write(Sync)\n        errored(e)',
      `query && (query.cursorFn || query.describeFirst) && (query.describing ? query.describing = false : write(Sync))
        errored(e)`,
    ],
    [
      '(query.cursorFn || query.describeFirst) && write(Sync)\n      errorResponse',
      `;(query.cursorFn || query.describeFirst) && (query.describing ? query.describing = false : write(Sync))
      errorResponse`,
    ],
    // A transaction has its connection to itself, also where nothing more may be sent over it for the moment.
    [
      `return write(toBuffer(q))
        && !q.describeFirst
        && !q.cursorFn
        && sent.length < max_pipeline
        && (!q.options.onexecute || q.options.onexecute(connection))`,
      `const more = write(toBuffer(q)) && !q.describeFirst && !q.cursorFn && sent.length < max_pipeline
      return q.options.onexecute ? q.options.onexecute(connection) : more`,
    ],
    // A COPY that the server refuses after its last byte has failed; whoever waits for its end is told so.
    [
      'stream && (stream.destroy(err), stream = null)\n',
      'stream && (stream.destroy(err), stream = null)\n    final && (final(err), final = null)\n',
    ],
    // One that has ended says no more: a late "failed" would meet the next one.
    [
      `socket.write(b().f().str(error + b.N).end())
        stream = null
      },
      final(callback) {
        socket.write(b().c().end())
        final = callback
        stream = null`,
      `stream === this && (stream = null, socket.write(b().f().str(error + b.N).end()))
      },
      final(callback) {
        socket.write(b().c().end())
        final = callback
        stream = null`,
    ],
    // What a reader that went away was still to get is dropped, or the connection would wait for it for ever.
    [
      'stream = new Stream.Readable({\n      read() { socket.resume() }\n',
      `stream = new Stream.Readable({
      read() { socket && socket.resume() },
      destroy(error, callback) {
        stream === this && (stream = null)
        callback(error)
        socket && socket.resume()
      }
`,
    ],
  ],
  'index.js': [
    // The statements of a transaction go to its own connection or nowhere.
    [
      'new Promise((_, reject) => connection.onclose = reject)',
      'new Promise((_, reject) => connection.onclose = e => reject(lost = e))',
    ],
    [', prepare = null\n\n    try {', ', prepare = null\n      , lost = null\n\n    try {'],
    [
      'q.catch(e => uncaughtError || (uncaughtError = e))\n',
      'q.catch(e => uncaughtError || (uncaughtError = e))\n        if (lost)\n          return q.reject(lost)\n',
    ],
  ],
}

const MARK = '?repaired'

/** Only modules that carry the mark are touched, so that it does not matter who loads the package first. */
const hooks = registerHooks({
  resolve: (specifier, context, next) => {
    const resolved = next(specifier, context)
    const ours = context.parentURL?.endsWith(MARK) === true && specifier.startsWith('.')
    return ours ? { ...resolved, url: resolved.url + MARK } : resolved
  },
  load: (url, context, next) =>
    url.endsWith(MARK)
      ? { format: 'module', source: repaired(url.slice(0, -MARK.length)), shortCircuit: true }
      : next(url, context),
})

function repaired(url: string): string {
  const source = readFileSync(fileURLToPath(url), 'utf8')
  const repairs = REPAIRS[url.slice(url.lastIndexOf('/') + 1)] ?? []
  return repairs.reduce((text, [was, becomes]) => {
    if (text.split(was).length !== 2) throw new Error(`${url} is not the text that the repairs were made for`)
    return text.replace(was, () => becomes)
  }, source)
}

const loaded: { default: typeof postgresJs } = await import(import.meta.resolve('postgres') + MARK)
hooks.deregister()

export const postgres = loaded.default
