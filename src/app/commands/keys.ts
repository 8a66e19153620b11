import { resealAccountTotp } from '../../domain/credentials/account-totp-store.ts'
import { resealKeptAnswers } from '../../domain/idempotency/idempotency-store.ts'
import { resealIntegratorTotpSecrets } from '../../domain/integrators/integrator-totp-store.ts'
import { type SigningKey, stateOf } from '../../domain/keys/signing-key.ts'
import { readSigningKeys, removeKey, resealSigningKeys, rotateKeys } from '../../domain/keys/signing-key-store.ts'
import { STAFF } from '../../domain/staff/staff.ts'
import { resealTotpSecrets } from '../../domain/users/totp-store.ts'
import { resealWebhookSecrets } from '../../domain/webhooks/reseal-store.ts'
import type { Cipher } from '../../platform/cipher.ts'
import type { Db } from '../../platform/db.ts'
import { knownMasterKeyId, replaceMasterKey } from '../../platform/master-key-store.ts'
import { OperatorError } from '../../platform/operator-error.ts'
import { transaction } from '../../platform/transaction.ts'
import { parseConfig } from '../config.ts'
import { masterCipher } from '../master-cipher.ts'
import { openStorageBeside } from '../storage.ts'
import { columns, moment } from './columns.ts'
import type { Terminal } from './terminal.ts'

export async function listKeysCommand(terminal: Terminal): Promise<void> {
  await withKeys(terminal, async (db, cipher) => terminal.print(keyTable(await readSigningKeys(db, cipher))))
}

export async function rotateKeysCommand(terminal: Terminal, when: 'tomorrow' | 'now'): Promise<void> {
  await withKeys(terminal, async (db, cipher) => {
    await rotateKeys(db, cipher, when)
    terminal.print(keyTable(await readSigningKeys(db, cipher)))
  })
}

export async function removeKeyCommand(terminal: Terminal, kid: string): Promise<void> {
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

/** Encrypts everything again with HANDOVER_MASTER_KEY; HANDOVER_MASTER_KEY_PREVIOUS opens what there is. */
export async function rotateMasterKeyCommand(terminal: Terminal): Promise<void> {
  await withKeys(terminal, async (db, cipher, knownKeyId) => {
    if (knownKeyId === cipher.keyId)
      return terminal.print(`Everything is encrypted with master key ${cipher.keyId} already.`)
    const count = await transaction(db, async (tx) => {
      const resealed = {
        keys: await resealSigningKeys(tx, cipher),
        totp:
          (await resealTotpSecrets(tx, cipher)) +
          (await resealIntegratorTotpSecrets(tx, cipher)) +
          (await resealAccountTotp(tx, STAFF, cipher)),
        webhooks: await resealWebhookSecrets(tx, cipher),
      }
      await resealKeptAnswers(tx, cipher)
      await replaceMasterKey(tx, cipher.keyId)
      return resealed
    })
    return terminal.print(
      `Encrypted again with master key ${cipher.keyId}: ${count.keys} signing keys; secrets of one-time codes: ${count.totp}; secrets of webhooks: ${count.webhooks}. HANDOVER_MASTER_KEY_PREVIOUS is needed no more.`,
    )
  })
}

async function withKeys(
  { env, warn }: Terminal,
  work: (db: Db, cipher: Cipher, knownKeyId: string) => Promise<void>,
): Promise<void> {
  const config = parseConfig(env)
  const { db, close } = await openStorageBeside(config, warn)
  try {
    const knownKeyId = await knownMasterKeyId(db)
    if (knownKeyId === null)
      throw new OperatorError('This database has no keys yet: "handover serve" makes them at its first start.')
    await work(db, await masterCipher(config, knownKeyId), knownKeyId)
  } finally {
    await close()
  }
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
