import type { Command } from '../platform/command.ts'
import { OperatorError } from '../platform/operator-error.ts'
import { CONNECTION_OPTIONS, readArguments } from './arguments.ts'
import { connectionFrom, connectionOptions } from './connection.ts'
import { outputFor } from './output.ts'
import { resendDelivery } from './resend-delivery.ts'
import { showDelivery } from './show-delivery.ts'
import { readSince, tailDeliveries } from './tail-deliveries.ts'
import { interruption } from './until-interrupted.ts'

export const deliveriesCommand: Command = {
  help: `handover deliveries tail [--webhook <id>] [--since <moment or 10m>]
handover deliveries show <id>
handover deliveries resend <id>

tail prints a line for each new delivery and each change of one, until Ctrl-C. It goes on when the service was away.
show prints a delivery with the body that is sent, and every attempt with what the receiver answered.
resend sends a delivery once more, at once, and prints the answer.

  --webhook       only what is sent to this webhook
  --since         begin with what happened since: 30s, 10m, 2h, 1d, or a moment such as 2026-11-15T08:00:00Z
  --environment   sandbox, or production for who logs in by a client secret
  --url, --client-id, --json   as for every command; see "handover login --help"

Examples:
  handover deliveries tail --since 10m
  handover deliveries tail --json | tee deliveries.jsonl
  handover deliveries show dlv_0198a6c2d1f07c3e9a41b7d2e5f60720`,
  run: async (terminal, [action, ...rest]) => {
    const texts = action === 'tail' ? [...CONNECTION_OPTIONS, 'webhook', 'since'] : CONNECTION_OPTIONS
    const given = readArguments(rest, { texts, flags: ['json'] })
    const output = outputFor(terminal, { json: given.flag('json') })
    const connect = () => connectionFrom(terminal, connectionOptions(given))
    const [id, ...others] = given.words
    if (action === 'tail' && id === undefined) {
      const since = readSince(given.text('since'), new Date())
      const { signal, end } = interruption()
      try {
        return await tailDeliveries(await connect(), output, {
          webhookId: given.text('webhook') ?? null,
          since,
          signal,
        })
      } finally {
        end()
      }
    }
    if (action === 'show' && id !== undefined && others.length === 0) return showDelivery(await connect(), output, id)
    if (action === 'resend' && id !== undefined && others.length === 0)
      return resendDelivery(await connect(), output, id)
    throw new OperatorError('deliveries takes tail, show <id> or resend <id>')
  },
}
