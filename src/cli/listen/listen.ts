import { hostname } from 'node:os'
import { isListenerName, LISTENER_NAME } from '../../domain/listeners/listener.ts'
import type { Command } from '../../platform/command.ts'
import { OperatorError } from '../../platform/operator-error.ts'
import type { Terminal } from '../../platform/terminal.ts'
import { CONNECTION_OPTIONS, readArguments } from '../arguments.ts'
import { callApi } from '../call-api.ts'
import { type Connection, connectionFrom, connectionOptions } from '../connection.ts'
import { itemsOf, memberOf, numberOf } from '../json-value.ts'
import { harmless, type Output, outputFor } from '../output.ts'
import { interruption } from '../until-interrupted.ts'
import { startDelivering } from './deliver.ts'
import { createFollowing, type Timing, USUAL_TIMING } from './follow.ts'
import { TOTAL_MS } from './forward.ts'
import { readForwardTo, readSpan, usualName } from './forward-to.ts'
import { journalFile, openJournal } from './journal.ts'
import { remark, waitingInWords } from './listen-words.ts'
import { removeListener } from './remove-listener.ts'

export const listenCommand: Command = {
  help: `handover listen --forward-to <address> [--events <a,b>] [--name <name>] [--give-up-after <span>]
handover listen --remove [--name <name>]

Receives what the webhooks of your application are sent in the sandbox, on this computer, without a public URL. Each
delivery is forwarded as a POST with its original bytes and signed headers, and what your program answers is in the
delivery log, in the portal too. There are no retries: "handover deliveries resend <id>" forwards one again.

What happens while nobody listens waits on the server for 30 days. When the service restarts, the network goes away or
the computer sleeps, listen connects again and catches up. Nothing is lost, and what may have been forwarded before says
"repeated": a journal in $XDG_STATE_HOME/handover (or ~/.local/state/handover) remembers what has no answer yet.

  --forward-to      where to, such as localhost:3000/hooks; http unless it says https://
  --events          only these, separated by commas; every event without it
  --name            of this listener: this computer's name. One listen for each name; another takes over
  --give-up-after   how long to try for a connection again: 5m (or 30s, 1h)
  --remove          end this listener for good: what waits for it is cancelled, and nothing waits for it any more
  --url, --client-id, --json   as for every command; see "handover login --help"

Ctrl-C waits for what is being forwarded, 15 seconds at most, and says what waits on the server. The exit code is 0
then, and 1 when the connection cannot be had again, the login is refused, or another listen took over.

Examples:
  handover listen --forward-to localhost:3000/hooks
  handover listen --forward-to localhost:3000/hooks --events shift.created,shift.cancelled
  handover listen --forward-to localhost:3000/hooks --json | tee forwarded.jsonl`,
  run: async (terminal, args) => {
    const given = readArguments(args, {
      texts: [...CONNECTION_OPTIONS, 'forward-to', 'events', 'name', 'give-up-after'],
      flags: ['remove', 'json'],
    })
    if (given.words.length > 0)
      throw new OperatorError(`listen takes no "${harmless(given.words[0] ?? '')}"; see --help`)
    const isRemoval = given.flag('remove')
    if (isRemoval && ['forward-to', 'events', 'give-up-after'].some((option) => given.text(option) !== undefined))
      throw new OperatorError('--remove goes with --name alone')
    const name = given.text('name') ?? usualName(hostname())
    if (!isListenerName(name)) throw new OperatorError(`--name ${LISTENER_NAME}`)
    if (given.text('environment') === 'production')
      throw new OperatorError('listen is for sandbox alone; in production a webhook has a URL.')
    const output = outputFor(terminal, { json: given.flag('json') })
    if (isRemoval)
      return removeListener(terminal, await connectionFrom(terminal, connectionOptions(given)), output, name)
    const forwardTo = readForwardTo(given.text('forward-to'))
    const events = given
      .texts('events')
      .flatMap((text) => text.split(','))
      .filter((event) => event !== '')
    const giveUpAfterMs = readSpan(given.text('give-up-after') ?? '5m', '--give-up-after') * 1_000
    const connection = await connectionFrom(terminal, connectionOptions(given))
    const { signal, end } = interruption()
    try {
      const wish = { name, forwardTo, events, timing: { ...USUAL_TIMING, giveUpAfterMs } }
      await listen(terminal, connection, output, wish, signal)
    } finally {
      end()
    }
  },
}

export type Wish = { name: string; forwardTo: URL; events: string[]; timing: Timing }

/** From the making of the listener to the last answer reported. */
export async function listen(
  terminal: Pick<Terminal, 'env'>,
  connection: Connection,
  output: Output,
  { name, forwardTo, events, timing }: Wish,
  interrupted: AbortSignal,
): Promise<void> {
  const path = `/sandbox/listeners/${name}`
  const made = memberOf(await callApi(connection, { method: 'PUT', path, body: { events } }), 'data')
  const [secret] = itemsOf(made, 'secrets').map(String)
  const journal = await openJournal(journalFile(terminal.env, { ...connection, name }))
  const failing = new AbortController()
  let failure: unknown = null
  const fail = (error: unknown) => {
    failure ??= error
    failing.abort()
  }
  const parts = { connection, name, output }
  const { reportMs } = timing
  const delivering = startDelivering({
    ...parts,
    forwardTo,
    journal,
    reportMs,
    done: () => following.done(),
    failed: fail,
  })
  const following = createFollowing({
    ...parts,
    delivering,
    timing,
    interrupted: AbortSignal.any([interrupted, failing.signal]),
    streamBefore: journal.lastStream,
    ready: () => sayReady(output, { name, forwardTo, secret: secret ?? '', made }),
  })
  try {
    void delivering.reportLeft().catch(fail)
    await following.run().catch(fail)
    sayFinishing(output, delivering.underWay())
    await delivering.finish(TOTAL_MS)
    if (failure !== null) throw failure
    await sayWaiting(connection, output, path)
  } finally {
    await journal.close(delivering.isCertain() ? following.lastStream() : null)
  }
}

type Readiness = { name: string; forwardTo: URL; secret: string; made: unknown }

function sayReady(output: Output, { name, forwardTo, secret, made }: Readiness): void {
  const { paint } = output
  const facilities = itemsOf(memberOf(made, 'facilityWebhook'), 'facilities').length
  const where = facilities === 1 ? '1 facility is' : `${facilities} facilities are`
  output.record(
    { kind: 'ready', name, secret, forwardTo: forwardTo.href, facilities },
    `Verify with this secret: ${paint.bold(secret)}
${paint.good('Ready')}  forwarding to ${harmless(forwardTo.href)} as the listener "${name}"; ${where} connected. Ctrl-C ends.`,
  )
}

function sayFinishing(output: Output, underWay: number): void {
  if (underWay === 0) return
  const words = underWay === 1 ? '1 answer' : `${underWay} answers`
  remark(output, { kind: 'finishing', underWay }, `waiting for ${words} on the way; Ctrl-C ends at once`)
}

/** A last word for who comes back; whoever cannot be asked any more is not waited for. */
async function sayWaiting(connection: Connection, output: Output, path: string): Promise<void> {
  try {
    const answer = await callApi(connection, { method: 'GET', path, signal: AbortSignal.timeout(3_000) })
    const waiting = numberOf(memberOf(answer, 'data'), 'waiting') ?? 0
    const words = waiting === 0 ? 'Nothing waits' : waitingInWords(waiting)
    remark(
      output,
      { kind: 'ended', waiting },
      `${words} on the server. What happens from now on waits until you listen again.`,
    )
  } catch {
    remark(
      output,
      { kind: 'ended', waiting: null },
      'What happens from now on waits on the server until you listen again.',
    )
  }
}
