import type { Cipher } from '../../platform/cipher.ts'
import type { Db } from '../../platform/db.ts'
import { openSecrets } from './sealed-secrets.ts'

export type RegisteredUrl = { webhookId: string; url: string; secrets: string[] }

/** Every webhook whose URL names this port, for the receiver of demo mode. Reads all webhooks, which are few there. */
export async function webhooksOnPort(db: Db, cipher: Cipher, port: number): Promise<RegisteredUrl[]> {
  const rows = await db<Array<{ id: string; url: string; secrets_sealed: Buffer }>>`
    select id, url, secrets_sealed from webhooks where url like ${`http://%:${port}%`} order by id`
  return rows.map(({ id, url, secrets_sealed: sealed }) => ({
    webhookId: id,
    url,
    secrets: openSecrets(cipher, id, sealed),
  }))
}
