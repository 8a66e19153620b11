// Writes the vectors for receivers of webhooks anew: npm run vectors
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { WEBHOOK_VECTORS_FILE, webhookVectorsText } from './webhook-vectors.ts'

await writeFile(join(import.meta.dirname, '..', WEBHOOK_VECTORS_FILE), webhookVectorsText())
console.log(WEBHOOK_VECTORS_FILE)
