import type { WebhookKind } from '../domain/webhooks/webhook.ts'
import { answerDelivery } from './answer-delivery.ts'
import type { ApiOperation } from './api-call.ts'
import { cancelReplay } from './cancel-replay.ts'
import { createFacilityWebhook } from './create-facility-webhook.ts'
import { createUserWebhook } from './create-user-webhook.ts'
import { deleteListener } from './delete-listener.ts'
import { deleteWebhook } from './delete-webhook.ts'
import { disableWebhook } from './disable-webhook.ts'
import { enableWebhook } from './enable-webhook.ts'
import { findDelivery } from './find-delivery.ts'
import { listAttempts } from './list-attempts.ts'
import { listDeliveries } from './list-deliveries.ts'
import { listReplays } from './list-replays.ts'
import { listSandboxSubjects } from './list-sandbox-subjects.ts'
import { listWebhooks } from './list-webhooks.ts'
import { makeSandboxEvent } from './make-sandbox-event.ts'
import { openListenerStream } from './open-listener-stream.ts'
import { putListener } from './put-listener.ts'
import { readDelivery } from './read-delivery.ts'
import { readListener } from './read-listener.ts'
import { readReplay } from './read-replay.ts'
import { readWebhook } from './read-webhook.ts'
import { replayDeliveries } from './replay-deliveries.ts'
import { resendDelivery } from './resend-delivery.ts'
import { sendTestEvent } from './send-test-event.ts'
import { updateWebhook } from './update-webhook.ts'

/** What the contract leaves out (decision C11), the same for both kinds. */
const ADDED: ReadonlyArray<(kind: WebhookKind) => ApiOperation> = [
  listWebhooks,
  readWebhook,
  deleteWebhook,
  enableWebhook,
  disableWebhook,
  sendTestEvent,
  listDeliveries,
  readDelivery,
  listAttempts,
  resendDelivery,
  replayDeliveries,
  listReplays,
  readReplay,
  cancelReplay,
]

/** In the contract's order; what it leaves out comes after. */
export const OPERATIONS: readonly ApiOperation[] = [
  createFacilityWebhook,
  createUserWebhook,
  updateWebhook('facility'),
  updateWebhook('user'),
  ...ADDED.flatMap((operation) => [operation('facility'), operation('user')]),
  findDelivery,
  makeSandboxEvent,
  listSandboxSubjects,
  putListener,
  readListener,
  deleteListener,
  openListenerStream,
  answerDelivery,
]
