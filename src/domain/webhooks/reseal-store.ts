import { byteaTexts } from '../../platform/bytea.ts'
import type { Cipher } from '../../platform/cipher.ts'
import type { DbOrTransaction } from '../../platform/db.ts'
import { openSecrets, sealSecrets } from './sealed-secrets.ts'

const STEP = 1_000

/** Encrypts every webhook's secrets again with the cipher's current key; answers how many. */
export async function resealWebhookSecrets(tx: DbOrTransaction, cipher: Cipher): Promise<number> {
  let count = 0
  let after = ''
  for (;;) {
    const rows = await tx<Array<{ id: string; secrets_sealed: Buffer }>>`
      select id, secrets_sealed from webhooks where id > ${after} order by id limit ${STEP} for update`
    if (rows.length === 0) return count
    const sealed = rows.map((row) => sealSecrets(cipher, row.id, openSecrets(cipher, row.id, row.secrets_sealed)))
    await tx`
      update webhooks set secrets_sealed = news.sealed
      from unnest(${rows.map(({ id }) => id)}::text[], ${byteaTexts(sealed)}::text[]::bytea[]) as news (id, sealed)
      where webhooks.id = news.id`
    count += rows.length
    after = rows.at(-1)?.id ?? after
  }
}
