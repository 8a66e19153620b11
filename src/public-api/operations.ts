import type { ApiOperation } from './api-call.ts'
import { createFacilityWebhook } from './create-facility-webhook.ts'
import { createUserWebhook } from './create-user-webhook.ts'
import { deleteWebhook } from './delete-webhook.ts'
import { listWebhooks } from './list-webhooks.ts'
import { readWebhook } from './read-webhook.ts'
import { disableWebhook, enableWebhook } from './switch-webhook.ts'
import { updateWebhook } from './update-webhook.ts'

/** In the contract's order; what it leaves out (decision C11) comes after. */
export const OPERATIONS: readonly ApiOperation[] = [
  createFacilityWebhook,
  createUserWebhook,
  updateWebhook('facility'),
  updateWebhook('user'),
  listWebhooks('facility'),
  listWebhooks('user'),
  readWebhook('facility'),
  readWebhook('user'),
  deleteWebhook('facility'),
  deleteWebhook('user'),
  enableWebhook('facility'),
  enableWebhook('user'),
  disableWebhook('facility'),
  disableWebhook('user'),
]
