import type { Cipher } from '../../platform/cipher.ts'
import type { Db } from '../../platform/db.ts'
import { appendAudit } from '../audit/audit-store.ts'
import { rotateKeys } from '../keys/signing-key-store.ts'
import type { SupportAct } from './support-act.ts'

/** As `handover keys rotate` does it. Answers how many keys were made: none when the next ones wait already. */
export async function rotateSigningKeys(
  { db, cipher }: { db: Db; cipher: Cipher },
  { actor, requestId, reason }: SupportAct,
  when: 'tomorrow' | 'now',
): Promise<number> {
  return rotateKeys(db, cipher, when, async (tx, kids) => {
    const after = { keys: kids.join(', '), sign: when === 'now' ? 'at once' : 'from tomorrow', reason }
    await appendAudit(tx, {
      actor,
      action: 'keys.rotated',
      teamId: null,
      applicationId: null,
      before: null,
      after,
      requestId,
    })
  })
}
