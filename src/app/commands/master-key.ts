import { resealAccountTotp } from '../../domain/credentials/account-totp-store.ts'
import { resealKeptAnswers } from '../../domain/idempotency/idempotency-store.ts'
import { resealIntegratorTotpSecrets } from '../../domain/integrators/integrator-totp-store.ts'
import { resealSigningKeys } from '../../domain/keys/signing-key-store.ts'
import { STAFF } from '../../domain/staff/staff.ts'
import { resealTotpSecrets } from '../../domain/users/totp-store.ts'
import { resealWebhookSecrets } from '../../domain/webhooks/reseal-store.ts'
import { type Command, options } from '../../platform/command.ts'
import { replaceMasterKey } from '../../platform/master-key-store.ts'
import { OperatorError } from '../../platform/operator-error.ts'
import type { Terminal } from '../../platform/terminal.ts'
import { transaction } from '../../platform/transaction.ts'
import { withKeys } from './stored-keys.ts'

export const masterKeyCommand: Command = {
  help: `handover master-key rotate

Set HANDOVER_MASTER_KEY to the new key and HANDOVER_MASTER_KEY_PREVIOUS to the old one, restart every process with both,
run this, and remove HANDOVER_MASTER_KEY_PREVIOUS.`,
  run: async (terminal, [action, ...rest]) => {
    options(rest)
    if (action !== 'rotate') throw new OperatorError('master-key takes rotate')
    await rotateMasterKey(terminal)
  },
}

/** Encrypts everything again with HANDOVER_MASTER_KEY; HANDOVER_MASTER_KEY_PREVIOUS opens what there is. */
async function rotateMasterKey(terminal: Terminal): Promise<void> {
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
