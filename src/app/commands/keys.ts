import { type SigningKey, stateOf } from '../../domain/keys/signing-key.ts'
import { readSigningKeys, removeKey, rotateKeys } from '../../domain/keys/signing-key-store.ts'
import { columns, moment } from '../../platform/columns.ts'
import { type Command, flags } from '../../platform/command.ts'
import { OperatorError } from '../../platform/operator-error.ts'
import type { Terminal } from '../../platform/terminal.ts'
import { withKeys } from './stored-keys.ts'

export const keysCommand: Command = {
  help: `handover keys list
handover keys rotate [--now]
handover keys remove <kid>

Rotating publishes a new key of each algorithm at once and lets it sign in a day, when every verifier has met it.
  --now   let it sign within seconds, because the current key must not be used any more
Removing a key that has stopped signing makes every token that it signed worthless at once: for a key that leaked.`,
  run: async (terminal, [action, ...rest]) => {
    const { now } = action === 'remove' ? { now: false } : flags(rest, 'now')
    if (action === 'list' && !now) return listKeys(terminal)
    const [kid] = rest
    if (action === 'remove' && kid !== undefined && rest.length === 1) return retireKey(terminal, kid)
    if (action === 'rotate') return rotate(terminal, now ? 'now' : 'tomorrow')
    throw new OperatorError('keys takes list, rotate [--now] or remove <kid>')
  },
}

async function listKeys(terminal: Terminal): Promise<void> {
  await withKeys(terminal, async (db, cipher) => terminal.print(keyTable(await readSigningKeys(db, cipher))))
}

async function rotate(terminal: Terminal, when: 'tomorrow' | 'now'): Promise<void> {
  await withKeys(terminal, async (db, cipher) => {
    await rotateKeys(db, cipher, when)
    terminal.print(keyTable(await readSigningKeys(db, cipher)))
  })
}

async function retireKey(terminal: Terminal, kid: string): Promise<void> {
  await withKeys(terminal, async (db) => {
    switch (await removeKey(db, kid)) {
      case 'removed':
        return terminal.print(`Key ${kid} is trusted no more: every token that it signed is refused within a second.`)
      case 'unknown':
        throw new OperatorError(`There is no published key ${kid}: "handover keys list" shows them.`)
      case 'signs-still':
        throw new OperatorError(
          `Key ${kid} still signs: run "handover keys rotate --now", wait a few seconds, then remove it.`,
        )
    }
  })
}

function keyTable(keys: readonly SigningKey[]): string {
  const now = new Date()
  const rows = keys.map((key) => [
    key.algorithm,
    stateOf(key, now),
    key.kid,
    moment(key.signsFrom),
    moment(key.signsUntil),
    moment(key.publishedUntil),
  ])
  const head = ['algorithm', 'state', 'kid', 'signs from (UTC)', 'signs until', 'published until']
  return columns([head, ...rows])
}
