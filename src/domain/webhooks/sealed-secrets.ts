import type { Cipher } from '../../platform/cipher.ts'

/** A webhook's secrets as they are stored. The webhook's id is authenticated with them: moved to another row they do not open. */
export function sealSecrets(cipher: Cipher, webhookId: string, secrets: readonly string[]): Buffer {
  return cipher.encrypt(JSON.stringify(secrets), contextOf(webhookId))
}

export function openSecrets(cipher: Cipher, webhookId: string, sealed: Buffer): string[] {
  const secrets: string[] = JSON.parse(cipher.decrypt(sealed, contextOf(webhookId)).toString())
  return secrets
}

function contextOf(webhookId: string): string {
  return `webhook secrets ${webhookId}`
}
